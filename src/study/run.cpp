#include "study/run.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/progress.hpp"
#include "parallel/available_memory.hpp"
#include "study/run_checkpoint.hpp"
#include "study/schedule.hpp"

namespace masing::study {

namespace {

/// Keeps the rows of /series, which can only be written by all ranks together.
class SeriesBuffer final : public engine::Observer {
 public:
  explicit SeriesBuffer(const io::Sampling& sampling, std::vector<double> rows = {})
      : sampling_(sampling), rows_(std::move(rows)) {}

  void observe(const engine::Samples& samples, engine::Engine& /*engine*/) override {
    io::for_each_row(sampling_, samples, [this](const io::SeriesRow& row) {
      rows_.insert(rows_.end(), row.begin(), row.end());
    });
  }

  void exchange(std::int64_t /*step*/, engine::Archive& archive) override {
    archive.numbers("rows", rows_);
  }

  std::vector<double> rows() && { return std::move(rows_); }

 private:
  io::Sampling sampling_;
  std::vector<double> rows_;
};

/// An empty recording for a job.
std::unique_ptr<Recording> empty_recording(const parallel::Communicator& comm, const Job& job) {
  const slab::Slab* slab = engine::slab_of(job.run);
  const bool has_columns = slab == nullptr || !slab->is_continuum();
  return std::make_unique<Recording>(
      comm, job.run.time, has_columns ? std::optional(engine::field_size(job.run)) : std::nullopt,
      job.stride,
      job.field_times.empty() ? uniform_times(job.run.time.steps, job.field_samples)
                              : given_times(job.run.time, job.field_times));
}

enum class Progress { hidden, shown };

/// Make one run, the job's of that index, on all ranks of `comm`, or what its checkpoint lacks.
Run make(const parallel::Communicator& comm, const StudySpec& spec, const Job& job,
         std::size_t index, const engine::Holding& holding, Progress progress) {
  const auto begin = std::chrono::steady_clock::now();
  const engine::Setup setup = engine::make_setup(comm, job.run, holding);
  auto recording = empty_recording(comm, job);
  std::vector<engine::Observer*> observers{recording.get()};
  SeriesBuffer series(spec.series);
  if (job.keep_series) {
    observers.push_back(&series);
  }
  const io::Participants participants{setup.engine.get(), observers};
  io::Checkpoints checkpoints = run_checkpoints(comm, spec, job, index, participants);
  const engine::Course course{.resumed = resume_run(comm, spec, job, index, participants),
                              .checkpointer = &checkpoints};
  std::optional<io::Progress> line;
  if (progress == Progress::shown && !spec.quiet) {
    observers.push_back(
        &line.emplace(comm, job.title, course.resumed.value_or(0), job.run.time.steps));
  }
  engine::integrate(comm, *setup.engine, job.run, observers, course);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {std::move(recording), std::move(series).rows(), took.count()};
}

/// Save a run that is done, on the ranks that made it.
void save(const parallel::Communicator& comm, const StudySpec& spec, const Job& job,
          std::size_t index, Run& run) {
  SeriesBuffer series(spec.series, std::move(run.series));
  std::vector<engine::Observer*> observers{run.recording.get()};
  if (job.keep_series) {
    observers.push_back(&series);
  }
  run_checkpoints(comm, spec, job, index, {.observers = observers}).write(job.run.time.steps);
}

/// Calls `work` with the ranks of each placement that this rank is of. Every rank takes them in the
/// same order, so no two wait for each other.
template <typename Work>
void for_each_placement(const parallel::Communicator& comm,
                        const std::vector<Placement>& placements, const Work& work) {
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const auto& [index, first, count] = placements[i];
    if (count == comm.size()) {
      work(i, comm);
    } else if (comm.rank() >= first && comm.rank() < first + count) {
      work(i, parallel::Communicator(comm, first, count));
    }
  }
}

/// What some ranks made, on all ranks. Collective on `comm`.
void share(const parallel::Communicator& comm, const Job& job, const Placement& placement,
           Run& run) {
  if (placement.count == comm.size()) {
    return;
  }
  const bool mine = run.recording != nullptr;
  auto shared = empty_recording(comm, job);
  shared->take(comm, mine ? run.recording.get() : nullptr, placement.first);
  run.recording = std::move(shared);
  parallel::broadcast_all(comm, run.series, placement.first);
  parallel::broadcast(comm, std::span(&run.seconds, 1), placement.first);
}

}  // namespace

std::vector<Run> run_all(const parallel::Communicator& comm, const StudySpec& spec,
                         const std::vector<Job>& jobs) {
  const double available = parallel::available_memory(comm);
  const std::vector<Placement> placements = fitting_schedule(jobs, comm.size(), available);
  const std::vector<engine::MemoryNeed> needs = least_needs(jobs, placements, comm.size());
  std::vector<Run> runs(jobs.size());
  std::string mistake;
  std::string stopped;
  for_each_placement(comm, placements, [&](std::size_t i, const parallel::Communicator& own) {
    const std::size_t index = placements[i].run;
    const engine::Holding holding{.fields = needs[i].fields, .available = available};
    const Progress progress = placements[i].first == 0 ? Progress::shown : Progress::hidden;
    // A run needs all its ranks: where one was stopped in an earlier run, it is not begun.
    if (parallel::min_over_ranks(own, stopped.empty() ? 1 : 0) == 0) {
      return;
    }
    try {
      runs[index] = make(own, spec, jobs[index], index, holding, progress);
    } catch (const base::UserError& error) {
      // Alike on the ranks of this run; the others learn of it below.
      mistake = mistake.empty() ? error.what() : mistake;
    } catch (const base::Stopped& stop) {
      stopped = jobs[index].title + " " + stop.what();
    }
  });
  mistake = parallel::first_text(comm, mistake);
  if (!mistake.empty()) {
    throw base::UserError(mistake);
  }
  stopped = parallel::first_text(comm, stopped);
  if (!stopped.empty()) {
    // Runs that are done have been saved if there was a --checkpoint, else not before now.
    for_each_placement(comm, placements, [&](std::size_t i, const parallel::Communicator& own) {
      const std::size_t index = placements[i].run;
      if (runs[index].recording && !spec.checkpoint.scheduled) {
        save(own, spec, jobs[index], index, runs[index]);
      }
    });
    throw base::Stopped(stopped);
  }
  for (const Placement& placement : placements) {
    share(comm, jobs[placement.run], placement, runs[placement.run]);
  }
  return runs;
}

}  // namespace masing::study
