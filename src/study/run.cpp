#include "study/run.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/progress.hpp"
#include "parallel/available_memory.hpp"
#include "study/footprint.hpp"
#include "study/run_checkpoint.hpp"

namespace study {

namespace {

masing::TimeGrid grid_of(const options::Configuration& c) {
  return {.final_time = c.final_time, .steps = c.steps};
}

io::Sampling sampling_of(const options::Configuration& c) {
  return {.time = grid_of(c), .every = *c.sample_every, .from = *c.from, .to = *c.to};
}

/// Keeps the rows of /series, which can only be written by all ranks together.
class SeriesBuffer final : public engine::Observer {
 public:
  explicit SeriesBuffer(const io::Sampling& sampling) : sampling_(sampling) {}

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
  const masing::TimeGrid time = grid_of(job.configuration);
  return std::make_unique<Recording>(comm, time, job.configuration.cells, job.stride,
                                     job.field_times.empty()
                                         ? uniform_times(time.steps, job.field_samples)
                                         : given_times(time, job.field_times));
}

enum class Speech { silent, progress };

/// Make one run, the job's of that index, on all ranks of `comm`, or what its checkpoint lacks.
Run make(const parallel::Communicator& comm, const Job& job, std::size_t index,
         const engine::Holding& holding, Speech speech) {
  const auto begin = std::chrono::steady_clock::now();
  const engine::Setup setup = engine::make_setup(comm, job.configuration, holding);
  auto recording = empty_recording(comm, job);
  std::vector<engine::Observer*> observers{recording.get()};
  SeriesBuffer series(sampling_of(job.configuration));
  if (job.keep_series) {
    observers.push_back(&series);
  }
  const io::Actors actors{*setup.engine, observers};
  io::Checkpoints checkpoints = run_checkpoints(comm, job, index, actors);
  const engine::Course course{.resumed = resume_run(comm, job, index, actors),
                              .checkpointer = &checkpoints};
  std::optional<io::Progress> progress;
  if (speech == Speech::progress && !job.configuration.quiet) {
    observers.push_back(&progress.emplace(comm, job.title, setup.time.steps));
  }
  engine::integrate(comm, *setup.engine, setup.driving, setup.time, observers, course);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {std::move(recording), std::move(series).rows(), took.count()};
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

options::Configuration at_level(options::Configuration configuration, const options::Level& level) {
  configuration.cells = level.cells;
  configuration.steps = level.steps;
  return configuration;
}

std::vector<Run> run_all(const parallel::Communicator& comm, const std::vector<Job>& jobs) {
  const double available = parallel::available_memory(comm);
  const std::vector<Placement> placements = fitting_schedule(jobs, comm.size(), available);
  const std::vector<engine::MemoryNeed> needs = least_needs(jobs, placements, comm.size());
  std::vector<Run> runs(jobs.size());
  std::string mistake;
  std::string stopped;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const auto& [index, first, count] = placements[i];
    if (comm.rank() < first || comm.rank() >= first + count) {
      continue;
    }
    const engine::Holding holding{.fields = needs[i].fields, .available = available};
    const Speech speech = first == 0 ? Speech::progress : Speech::silent;
    try {
      runs[index] = count == comm.size() ? make(comm, jobs[index], index, holding, speech)
                                         : make(parallel::Communicator(comm, first, count),
                                                jobs[index], index, holding, speech);
    } catch (const base::UserError& error) {
      // Alike on the ranks of this run; the others learn of it below.
      mistake = mistake.empty() ? error.what() : mistake;
    } catch (const base::Stopped& stop) {
      stopped = jobs[index].title + " " + stop.what();
      break;
    }
  }
  mistake = parallel::first_text(comm, mistake);
  if (!mistake.empty()) {
    throw base::UserError(mistake);
  }
  stopped = parallel::first_text(comm, stopped);
  if (!stopped.empty()) {
    throw base::Stopped(stopped);
  }
  for (const Placement& placement : placements) {
    share(comm, jobs[placement.run], placement, runs[placement.run]);
  }
  return runs;
}

}  // namespace study
