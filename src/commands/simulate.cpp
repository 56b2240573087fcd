#include "commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/progress.hpp"
#include "io/sealed_file.hpp"
#include "parallel/session.hpp"
#include "study/plan.hpp"

namespace masing::commands {

namespace {

/// Keeps the ranges of x and of the restoring force over all steps.
class Extremes final : public engine::Observer {
 public:
  explicit Extremes(Summary& summary) : summary_(summary) {}

  void observe(const engine::Samples& samples, engine::Engine& /*engine*/) override {
    for (std::size_t i = 0; i < samples.x.size(); ++i) {
      summary_.least_x = std::min(summary_.least_x, samples.x[i]);
      summary_.most_x = std::max(summary_.most_x, samples.x[i]);
      summary_.least_restoring = std::min(summary_.least_restoring, samples.restoring[i]);
      summary_.most_restoring = std::max(summary_.most_restoring, samples.restoring[i]);
    }
  }

  void serialize(std::int64_t /*step*/, engine::Archive& archive) override {
    std::vector<double> range{summary_.least_x, summary_.most_x, summary_.least_restoring,
                              summary_.most_restoring};
    archive.numbers("range", range);
    summary_.least_x = range[0];
    summary_.most_x = range[1];
    summary_.least_restoring = range[2];
    summary_.most_restoring = range[3];
  }

 private:
  Summary& summary_;
};

/// Writes /timing, over what is there. Collective.
void write_timing(const io::Handle& file, const Summary& summary) {
  const io::Handle group(H5Gopen2(file.id(), "/timing", H5P_DEFAULT), H5Gclose);
  io::write_attribute(group, "wall_seconds", summary.seconds);
  io::write_attribute(group, "steps_per_second", summary.steps_per_second);
  io::write_attribute(group, "cell_updates_per_second", summary.updates_per_second);
}

/// Brings engine and observers to a checkpoint, and returns its step.
std::int64_t resume(const parallel::Communicator& comm, const std::string& checkpoint,
                    std::int64_t steps, const io::Participants& participants) {
  const io::Handle file = io::open_together(comm, checkpoint, H5F_ACC_RDONLY);
  const std::int64_t step = io::checkpoint_step(file, checkpoint, steps);
  io::restore(file, checkpoint, step, participants);
  return step;
}

constexpr const char* cores_are_short = ", cores are short";

/// Integrates into the open file. All that writes to it is gone when this returns.
Summary integrate_into(const parallel::Communicator& comm, const cli::Simulation& simulation,
                       const engine::Setup& setup, io::OutputFile& output,
                       std::span<engine::Observer* const> more) {
  const engine::RunSpec& run = simulation.run;
  Summary summary;
  Extremes extremes(summary);
  const auto recorders =
      io::make_recorders({comm, output.file(), run, setup.profile.get(), simulation.output});
  std::vector<engine::Observer*> observers{&extremes};
  observers.insert(observers.end(), more.begin(), more.end());
  for (const auto& recorder : recorders) {
    observers.push_back(recorder.get());
  }
  if (!io::exists(output.file(), "/timing")) {
    io::create_group(output.file(), "/timing");
    write_timing(output.file(), {.seconds = io::not_known_yet,
                                 .steps_per_second = io::not_known_yet,
                                 .updates_per_second = io::not_known_yet});
  }
  output.lay_out();
  const io::Participants participants{setup.engine.get(), observers};
  io::Checkpoints checkpoints(comm, simulation.checkpoint.path, simulation.checkpoint,
                              run.time.steps, participants,
                              [&](const std::string& draft) { output.begin_checkpoint(draft); });
  std::optional<std::int64_t> resumed;
  if (simulation.checkpoint.restart) {
    resumed = resume(comm, *simulation.checkpoint.restart, run.time.steps, participants);
  }
  if (simulation.checkpoint.scheduled) {
    output.write_out_steadily();
  }
  const engine::TimeLoop* running = nullptr;
  std::optional<io::Progress> progress;
  if (!simulation.quiet) {
    observers.push_back(&progress.emplace(
        comm, engine::title(run), resumed.value_or(0), run.time.steps,
        [&running] { return running->waits_for_cores() ? cores_are_short : ""; }));
  }

  const auto begin = std::chrono::steady_clock::now();
  try {
    engine::TimeLoop loop(comm, *setup.engine, run, observers, resumed);
    running = &loop;
    checkpoints.integrate(loop);
    summary.cores_are_short = parallel::min_over_ranks(comm, loop.waits_for_cores() ? 0 : 1) == 0;
  } catch (const base::Stopped& stopped) {
    throw base::Stopped(stopped.what() + io::restart_advice(simulation.checkpoint));
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  parallel::broadcast(comm, std::span(&summary.seconds, 1));  // every rank must write the same
  summary.samples = simulation.output.sampling.count(run.time.steps);
  summary.self_check = setup.engine->self_check();
  const std::int64_t steps = run.time.steps - resumed.value_or(0);
  summary.steps_per_second = static_cast<double>(steps) / summary.seconds;
  summary.updates_per_second = summary.steps_per_second * engine::swept_cells(run);
  write_timing(output.file(), summary);
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
engine::Setup made_ready(const parallel::Communicator& comm, const cli::Simulation& simulation,
                         const engine::MemoryBudget& budget) {
  try {
    return engine::make_setup(comm, simulation.run, budget);
  } catch (const base::Stopped& stopped) {
    throw base::Stopped(std::string(stopped.what()) + io::nothing_lost);
  }
}

Summary made_by(const parallel::Communicator& comm, const cli::Simulation& simulation,
                const engine::MemoryBudget& budget, std::span<engine::Observer* const> observers) {
  // What the engine cannot solve is refused before there is a file.
  const engine::Setup setup = made_ready(comm, simulation, budget);
  const io::ResultSpec& result = simulation.result;
  const io::RunLocks locks(comm, result.path, simulation.checkpoint);
  const std::string advice = parallel::stop_advice();
  if (comm.is_root() && !simulation.quiet && !advice.empty() &&
      study::estimated_seconds(simulation.run, comm.size()) > study::long_time) {
    std::fputs(fmt::format("masing simulate: {}\n", advice).c_str(), stderr);
  }
  const auto& restart = simulation.checkpoint.restart;
  io::OutputFile output =
      restart ? io::OutputFile(comm, result, io::rows_of(comm, *restart, result.path))
              : io::OutputFile(comm, result);
  return io::with_file_name(result.path, [&] {
    Summary summary = integrate_into(comm, simulation, setup, output, observers);
    summary.ranks = comm.size();
    output.finish();
    io::remove_unscheduled(comm, simulation.checkpoint);
    return summary;
  });
}

/// A run whose file, if there is one, is made by others.
class Shown {
 public:
  /// At the start, or where a checkpoint has it. `comm` and `simulation` must outlive it.
  Shown(const parallel::Communicator& comm, const cli::Simulation& simulation,
        const engine::MemoryBudget& budget)
      : comm_(comm), run_(simulation.run), setup_(made_ready(comm, simulation, budget)) {
    if (const auto& restart = simulation.checkpoint.restart) {
      resumed_ = resume(comm, *restart, run_.time.steps, {setup_.engine.get(), {}});
    }
  }

  Summary to(std::span<engine::Observer* const> observers) {
    engine::integrate(comm_, *setup_.engine, run_, observers, resumed_);
    return {.self_check = setup_.engine->self_check()};
  }

 private:
  const parallel::Communicator& comm_;
  const engine::RunSpec& run_;
  engine::Setup setup_;
  std::optional<std::int64_t> resumed_;
};

/// What a rank that is not the root does meanwhile, and what it throws.
class Aside {
 public:
  explicit Aside(bool is_here) : is_here_(is_here) {}

  /// Calls `work` unless an earlier one has thrown. Local.
  template <class Work>
  void call(const Work& work) {
    if (!is_here_ || failure_ || is_stopped_) {
      return;
    }
    try {
      work();
    } catch (const base::Stopped&) {
      is_stopped_ = true;
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  /// Throws what it has thrown; Stopped alike on all ranks where the root came to the end before it
  /// was asked to stop, and one of the others did not. Collective.
  void end(const parallel::Communicator& comm) const {
    if (parallel::min_over_ranks(comm, is_stopped_ ? 0 : 1) == 0) {
      throw base::Stopped("stopped " + parallel::stop_reason(comm) + " after the last step");
    }
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  bool is_here_;
  bool is_stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace

Summary make(const parallel::Communicator& comm, const cli::Simulation& simulation,
             std::span<engine::Observer* const> observers) {
  engine::MemoryBudget budget;
  if (!observers.empty()) {
    budget.available = parallel::available_memory(comm);  // each rank may need all of the run
  }
  const parallel::Communicator by = engine::makers(comm, simulation.run, budget.available);
  const auto made = [&] {
    return simulation.result.path.empty() ? Shown(by, simulation, budget).to(observers)
                                          : made_by(by, simulation, budget, observers);
  };
  if (by.size() == comm.size()) {
    return made();
  }
  Summary summary;
  Aside aside(!comm.is_root() && !observers.empty());
  std::optional<Shown> shown;
  aside.call([&] { shown.emplace(by, simulation, budget); });
  // Not before may the root write over the checkpoint that the others go on from.
  parallel::min_over_ranks(comm, 0);
  aside.call([&] { summary = shown->to(observers); });
  parallel::on_root(comm, [&] { summary = made(); });
  aside.end(comm);
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
