#include "commands/commands.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/checkpoint.hpp"
#include "io/progress.hpp"
#include "io/recorders.hpp"
#include "io/result_file.hpp"
#include "parallel/session.hpp"

namespace masing::commands {

namespace {

/// Keeps the ranges of x and of the restoring force over all steps.
class Ranges final : public engine::Observer {
 public:
  explicit Ranges(Summary& summary) : summary_(summary) {}

  void observe(const engine::Samples& samples, engine::Engine& /*engine*/) override {
    for (std::size_t i = 0; i < samples.x.size(); ++i) {
      summary_.least_x = std::min(summary_.least_x, samples.x[i]);
      summary_.most_x = std::max(summary_.most_x, samples.x[i]);
      summary_.least_restoring = std::min(summary_.least_restoring, samples.restoring[i]);
      summary_.most_restoring = std::max(summary_.most_restoring, samples.restoring[i]);
    }
  }

  void serialize(std::int64_t /*step*/, engine::Archive& archive) override {
    archive.scalars("range", summary_.least_x, summary_.most_x, summary_.least_restoring,
                    summary_.most_restoring);
  }

 private:
  Summary& summary_;
};

constexpr const char* cores_are_short = ", cores are short";

/// Integrates into the open file. All that writes to it is gone when this returns.
Summary integrate_into(const parallel::Communicator& comm, const cli::Simulation& simulation,
                       const engine::Setup& setup, io::OutputFile& output,
                       std::span<engine::Observer* const> more) {
  const engine::RunSpec& run = simulation.run;
  const io::CheckpointSpec& checkpoint = simulation.checkpoint;
  const std::int64_t steps = run.time.steps;
  Summary summary;
  Ranges ranges(summary);
  const auto recorders =
      io::make_recorders({comm, output.file(), run, setup.profile.get(), simulation.output});
  std::vector<engine::Observer*> observers{&ranges};
  observers.insert(observers.end(), more.begin(), more.end());
  for (const auto& recorder : recorders) {
    observers.push_back(recorder.get());
  }
  output.start_rows();
  const io::Participants participants{setup.engine.get(), observers};
  const io::Saving saving{checkpoint, simulation.result, participants,
                          [&](const io::Handle& file) { output.save_rows(file, checkpoint.path); }};
  std::optional<std::int64_t> resumed;
  if (checkpoint.restart) {
    resumed = io::resume(comm, *checkpoint.restart, steps, participants);
  }
  std::unique_ptr<engine::Observer> disk_writer;
  if (checkpoint.scheduled) {
    disk_writer = output.make_disk_writer();
    observers.push_back(disk_writer.get());
  }
  const engine::TimeLoop* running = nullptr;
  std::optional<io::Progress> progress;
  if (!simulation.quiet) {
    observers.push_back(&progress.emplace(
        comm, engine::title(run), resumed.value_or(0), steps,
        [&running] { return running->waits_for_cores() ? cores_are_short : ""; }));
  }

  const auto begin = std::chrono::steady_clock::now();
  try {
    engine::TimeLoop loop(comm, *setup.engine, run, observers, resumed);
    running = &loop;
    io::integrate(comm, saving, steps, loop);
    summary.cores_are_short = parallel::min_over_ranks(comm, loop.waits_for_cores() ? 0 : 1) == 0;
  } catch (const base::Stopped& stopped) {
    throw base::Stopped(stopped.what() + io::restart_advice(checkpoint));
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  parallel::broadcast(comm, std::span(&summary.seconds, 1));  // every rank must write the same
  summary.samples = io::SampledSteps(simulation.output.sampling).count();
  summary.self_check = setup.engine->self_check();
  summary.steps_per_second = static_cast<double>(steps - resumed.value_or(0)) / summary.seconds;
  summary.updates_per_second = summary.steps_per_second * engine::swept_cells(run);
  const io::Handle timing = io::create_group(output.file(), "/timing");
  io::write_attribute(timing, "wall_seconds", summary.seconds);
  io::write_attribute(timing, "steps_per_second", summary.steps_per_second);
  io::write_attribute(timing, "cell_updates_per_second", summary.updates_per_second);
  return summary;
}

std::string text_of(const Summary& summary, const cli::Simulation& simulation, int ranks) {
  const engine::RunSpec& run = simulation.run;
  std::string text = fmt::format(
      "masing simulate: {}, T = {:g}, {}{} rank{}\n"
      "  x in [{:.6g}, {:.6g}], restoring force in [{:.6g}, {:.6g}]\n"
      "  {:.3g} s, {:.3g} steps/s",
      engine::title(run), run.time.final_time, summary.ranks < ranks ? "1 of " : "", ranks,
      ranks == 1 ? "" : "s", summary.least_x, summary.most_x, summary.least_restoring,
      summary.most_restoring, summary.seconds, summary.steps_per_second);
  if (summary.updates_per_second > 0) {
    text += fmt::format(", {:.3g} cell-updates/s", summary.updates_per_second);
  }
  if (summary.cores_are_short) {
    text += cores_are_short;
    text += ": ranks waited for one another at every step; give as many as there are idle cores";
  }
  if (engine::is_exact(run)) {
    text += fmt::format("\n  two methods agree to {:.1e} in x and y", summary.self_check);
  }
  return text + fmt::format("\n  {} samples in {}\n", summary.samples, simulation.result.path);
}

/// engine::make_setup, which may be stopped before there is anything to save.
engine::Setup made_setup(const parallel::Communicator& comm, const cli::Simulation& simulation,
                         const engine::MemoryBudget& budget) {
  try {
    return engine::make_setup(comm, simulation.run, budget);
  } catch (const base::Stopped& stopped) {
    throw base::Stopped(std::string(stopped.what()) + io::nothing_lost);
  }
}

/// Makes a run with its file.
Summary run_to_file(const parallel::Communicator& comm, const cli::Simulation& simulation,
                    const engine::MemoryBudget& budget,
                    std::span<engine::Observer* const> observers) {
  // What the engine cannot solve is refused before there is a file.
  const engine::Setup setup = made_setup(comm, simulation, budget);
  const io::ResultSpec& result = simulation.result;
  const io::CheckpointSpec& checkpoint = simulation.checkpoint;
  const io::RunLocks locks(comm, result.path, checkpoint);
  const std::string advice = parallel::stop_advice();
  if (comm.is_root() && !simulation.quiet && !advice.empty() &&
      engine::estimated_seconds(simulation.run, comm.size()) > engine::long_time) {
    std::fputs(fmt::format("masing simulate: {}\n", advice).c_str(), stderr);
  }
  std::optional<io::WrittenRows> rows;
  if (checkpoint.restart) {
    rows = io::rows_of(comm, *checkpoint.restart, result.path);
  }
  io::OutputFile output(comm, result, std::move(rows));
  Summary summary;
  io::with_file_name(result.path, [&] {
    summary = integrate_into(comm, simulation, setup, output, observers);
    output.finish();
  });
  summary.ranks = comm.size();
  if (!checkpoint.scheduled) {
    io::remove_checkpoint(comm, checkpoint.path);
  }
  return summary;
}

/// Makes a run for its observers alone; calls `begun` once it is at its start, or where a
/// checkpoint has it.
Summary run_for_observers(
    const parallel::Communicator& comm, const cli::Simulation& simulation,
    const engine::MemoryBudget& budget, std::span<engine::Observer* const> observers,
    const std::function<void()>& begun = [] {}) {
  const engine::RunSpec& run = simulation.run;
  const engine::Setup setup = made_setup(comm, simulation, budget);
  std::optional<std::int64_t> resumed;
  if (const auto& restart = simulation.checkpoint.restart) {
    resumed = io::resume(comm, *restart, run.time.steps, {setup.engine.get(), {}});
  }
  begun();
  engine::integrate(comm, *setup.engine, run, observers, resumed);
  return {.self_check = setup.engine->self_check()};
}

}  // namespace

Summary make(const parallel::Communicator& comm, const cli::Simulation& simulation,
             std::span<engine::Observer* const> observers) {
  engine::MemoryBudget budget;
  if (!observers.empty()) {
    budget.available = parallel::available_memory(comm);  // each rank may need all of the run
  }
  const parallel::Communicator by = engine::communicator_for(comm, simulation.run);
  const auto made = [&] {
    return simulation.result.path.empty() ? run_for_observers(by, simulation, budget, observers)
                                          : run_to_file(by, simulation, budget, observers);
  };
  if (by.size() == comm.size()) {
    return made();
  }
  // The root makes it; the other ranks do so meanwhile, for their observers.
  Summary summary;
  std::exception_ptr failure;
  bool is_stopped = false;
  bool has_met = false;
  // Not before may the root write over the checkpoint that the others go on from.
  const auto meet = [&] {
    if (!std::exchange(has_met, true)) {
      parallel::min_over_ranks(comm, 0);
    }
  };
  if (!comm.is_root() && !observers.empty()) {
    try {
      summary = run_for_observers(by, simulation, budget, observers, meet);
    } catch (const base::Stopped&) {
      is_stopped = true;
    } catch (...) {
      failure = std::current_exception();
    }
  }
  meet();
  parallel::on_root(comm, [&] { summary = made(); });
  // The root may have come to the end before it was asked to stop.
  if (parallel::min_over_ranks(comm, is_stopped ? 0 : 1) == 0) {
    throw base::Stopped("stopped " + parallel::stop_reason(comm) + " after the last step");
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
  return summary;
}

int run(const parallel::Communicator& comm, const cli::Simulation& simulation) {
  const Summary summary = make(comm, simulation);
  if (comm.is_root()) {
    std::fputs(text_of(summary, simulation, comm.size()).c_str(), stdout);
  }
  return base::exit_done;
}

}  // namespace masing::commands
