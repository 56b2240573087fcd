#include "study/run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/progress.hpp"
#include "parallel/available_memory.hpp"
#include "parallel/session.hpp"
#include "study/run_checkpoint.hpp"
#include "study/schedule.hpp"

namespace masing::study {

std::optional<std::int64_t> field_columns(const Job& job) {
  return job.keep_functions ? std::nullopt : field_columns(job.run);
}

namespace {

std::unique_ptr<Recording> empty_recording(const parallel::Communicator& comm, const Job& job) {
  return std::make_unique<Recording>(comm, job.run.time, field_columns(job), job.motion,
                                     field_times(job, job.run));
}

enum class Progress { hidden, shown };

/// What a run holds beside itself, and what there is.
engine::Holding holding(const engine::MemoryNeed& need, double available) {
  return {.fields = need.fields, .motion = need.motion, .available = available};
}

/// Make one run, the job's of that index, on all ranks of `comm`, or what its checkpoint lacks.
Run make(const parallel::Communicator& comm, const StudySpec& spec, const Job& job,
         std::size_t index, const engine::Holding& holding, Progress progress) {
  const auto begin = std::chrono::steady_clock::now();
  const engine::Setup setup = engine::make_setup(comm, job.run, holding);
  Run run{.recording = empty_recording(comm, job)};
  std::vector<engine::Observer*> observers{run.recording.get()};
  if (job.reference) {
    run.in_step = std::make_unique<InStep>(comm, job.run, *run.recording, *job.reference,
                                           engine::make_setup(comm, *job.reference, holding),
                                           field_times(job, *job.reference));
    observers.push_back(run.in_step.get());
  }
  std::optional<io::SeriesBuffer> series;
  if (job.series) {
    observers.push_back(&series.emplace(*job.series));
  }
  const io::Participants participants{setup.engine.get(), observers};
  io::Checkpoints checkpoints = run_checkpoints(comm, spec, job, index, participants);
  const auto resumed = resume_run(comm, spec, job, index, participants);
  std::optional<io::Progress> line;
  if (progress == Progress::shown && !spec.quiet) {
    observers.push_back(&line.emplace(comm, job.title, resumed.value_or(0), job.run.time.steps));
  }
  engine::TimeLoop loop(comm, *setup.engine, job.run, observers, resumed);
  checkpoints.integrate(loop);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  run.series = series ? std::move(*series).rows() : std::vector<double>();
  run.seconds = took.count() - (run.in_step ? run.in_step->seconds() : 0.0);
  return run;
}

/// Save a run that is done, on the ranks that made it.
void save(const parallel::Communicator& comm, const StudySpec& spec, const Job& job,
          std::size_t index, Run& run) {
  std::vector<engine::Observer*> observers{run.recording.get()};
  if (run.in_step) {
    observers.push_back(run.in_step.get());
  }
  std::optional<io::SeriesBuffer> series;
  if (job.series) {
    observers.push_back(&series.emplace(*job.series, std::move(run.series)));
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
  auto shared = empty_recording(comm, job);
  shared->take(run.recording.get(), placement.first, placement.count);
  run.recording = std::move(shared);
  if (job.reference) {
    run.in_step = run.in_step ? std::move(run.in_step) : std::make_unique<InStep>();
    run.in_step->share(comm, placement.first);
  }
  parallel::broadcast_all(comm, run.series, placement.first);
  parallel::broadcast(comm, std::span(&run.seconds, 1), placement.first);
}

}  // namespace

std::vector<FieldTime> field_times(const Job& job, const engine::RunSpec& run) {
  return job.field_times.empty() ? uniform_times(run.time.steps, job.field_samples)
                                 : given_times(run.time, job.field_times);
}

std::vector<Run> run_all(const parallel::Communicator& comm, const StudySpec& spec,
                         const std::vector<Job>& jobs) {
  const Forecast plan = forecast(jobs, comm.size(), parallel::available_memory(comm));
  const std::vector<Placement>& placements = plan.placements;
  if (comm.is_root() && !spec.quiet && plan.seconds > long_time) {
    const std::string advice = parallel::stop_advice();
    std::fputs(plan_text(jobs, *spec.reference, plan).c_str(), stderr);
    std::fputs(advice.empty() ? "" : ("  " + advice + "\n").c_str(), stderr);
  }
  std::vector<Run> runs(jobs.size());
  std::optional<base::UserError> mistake;
  std::string stopped;
  for_each_placement(comm, placements, [&](std::size_t i, const parallel::Communicator& own) {
    const std::size_t index = placements[i].run;
    const Progress progress = placements[i].first == 0 ? Progress::shown : Progress::hidden;
    // A run needs all its ranks: where one was stopped in an earlier run, it is not begun.
    if (parallel::min_over_ranks(own, stopped.empty() ? 1 : 0) == 0) {
      return;
    }
    try {
      runs[index] =
          make(own, spec, jobs[index], index, holding(plan.needs[i], plan.available), progress);
    } catch (const base::UserError& error) {
      // Alike on the ranks of this run; the others learn of it below.
      mistake = mistake ? mistake : error;
    } catch (const base::Stopped& stop) {
      stopped = jobs[index].title + " " + stop.what();
    }
  });
  parallel::throw_first(comm, mistake);
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
