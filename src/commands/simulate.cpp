#include "commands/commands.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/say.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/checkpoint.hpp"
#include "io/progress.hpp"
#include "io/recorders.hpp"
#include "io/result_file.hpp"
#include "parallel/phase.hpp"
#include "parallel/session.hpp"

namespace masing::commands {

namespace {

/// Keeps the ranges of x and of the restoring force over all steps, and shows the chunks.
class Watcher final : public engine::Observer {
 public:
  Watcher(Summary& summary, const Show& show) : summary_(summary), show_(show) {}

  void observe(const engine::Samples& samples, engine::Engine& /*engine*/) override {
    for (std::size_t i = 0; i < samples.x.size(); ++i) {
      summary_.least_x = std::min(summary_.least_x, samples.x[i]);
      summary_.most_x = std::max(summary_.most_x, samples.x[i]);
      summary_.least_restoring = std::min(summary_.least_restoring, samples.restoring[i]);
      summary_.most_restoring = std::max(summary_.most_restoring, samples.restoring[i]);
    }
    if (show_) {
      show_(samples);
    }
  }

  void serialize(std::int64_t /*step*/, engine::Archive& archive) override {
    archive.scalars("range", summary_.least_x, summary_.most_x, summary_.least_restoring,
                    summary_.most_restoring);
  }

 private:
  Summary& summary_;
  const Show& show_;
};

constexpr const char* cores_are_short = ", cores are short";

/// Integrates into the open file. All that writes to it is gone when this returns.
Summary integrate_into(const parallel::Communicator& comm, const cli::Simulation& simulation,
                       const engine::Setup& setup, io::OutputFile& output, const Show& show) {
  const engine::RunSpec& run = simulation.run;
  const io::CheckpointSpec& checkpoint = simulation.checkpoint;
  const std::int64_t steps = run.time.steps;
  Summary summary;
  Watcher watcher(summary, show);
  const auto recorders =
      io::make_recorders({comm, output.file(), run, setup.profile.get(), simulation.output});
  std::vector<engine::Observer*> observers{&watcher};
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

  try {
    const parallel::PhaseTimer timer(parallel::Phase::steps, &summary.seconds);
    engine::TimeLoop loop(comm, *setup.engine, run, observers, resumed);
    running = &loop;
    io::integrate(comm, saving, steps, loop);
    summary.cores_are_short = parallel::min_over_ranks(comm, loop.waits_for_cores() ? 0 : 1) == 0;
  } catch (const base::Stopped& stopped) {
    throw base::Stopped(stopped.what() + io::restart_advice(checkpoint));
  }
  parallel::broadcast(comm, std::span(&summary.seconds, 1));  // every rank must write the same
  summary.samples = io::SampledSteps(simulation.output.sampling).count();
  summary.self_check = setup.engine->self_check();
  summary.steps_per_second = static_cast<double>(steps - resumed.value_or(0)) / summary.seconds;
  summary.updates_per_second = summary.steps_per_second * engine::swept_cells(run);
  io::write_time(output.file(), "wall_seconds", summary.seconds);
  io::write_time(output.file(), "steps_per_second", summary.steps_per_second);
  io::write_time(output.file(), "cell_updates_per_second", summary.updates_per_second);
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
  for (const auto phase : {parallel::Phase::setup, parallel::Phase::seal}) {
    const auto i = static_cast<std::size_t>(phase);
    if (summary.phases[i] >= std::max(0.1, 0.1 * summary.seconds)) {
      const char* name = phase == parallel::Phase::setup ? "set-up" : "flush and seal";
      text += fmt::format("; {} {:.3g} s", name, summary.phases[i]);
    }
  }
  if (engine::is_exact(run)) {
    text += fmt::format("\n  two methods agree to {:.1e} in x and y", summary.self_check);
  }
  return text + fmt::format("\n  {} samples in {}\n", summary.samples, simulation.result.path);
}

/// engine::make_setup, which may be stopped before there is anything to save.
engine::Setup made_setup(const parallel::Communicator& comm, const cli::Simulation& simulation) {
  const base::Polling polling = io::saying_seconds(comm.is_root() && !simulation.quiet,
                                                   "setting up " + engine::title(simulation.run));
  try {
    return engine::make_setup(comm, simulation.run);
  } catch (const base::Stopped& stopped) {
    throw base::Stopped(std::string(stopped.what()) + io::nothing_lost);
  }
}

/// Makes a run with its file.
Summary run_to_file(const parallel::Communicator& comm, const cli::Simulation& simulation,
                    const Show& show) {
  const parallel::PhaseTimer timer(parallel::Phase::setup);
  // What the engine cannot solve is refused before there is a file.
  const engine::Setup setup = made_setup(comm, simulation);
  io::require_room(comm, simulation.run, simulation.output, simulation.result.path,
                   simulation.checkpoint);
  const io::ResultSpec& result = simulation.result;
  const io::CheckpointSpec& checkpoint = simulation.checkpoint;
  const io::RunLocks locks(comm, result.path, checkpoint);
  const std::string advice = parallel::stop_advice();
  if (comm.is_root() && !simulation.quiet && !advice.empty() &&
      engine::estimated_seconds(simulation.run, comm.size()) > engine::long_time) {
    base::say(fmt::format("masing simulate: {}\n", advice));
  }
  std::optional<io::WrittenRows> rows;
  if (checkpoint.restart) {
    rows = io::rows_of(comm, *checkpoint.restart, result.path);
  }
  Summary summary;
  io::with_file_name(result.path, [&] {
    io::OutputFile output(comm, result, std::move(rows));
    try {
      summary = integrate_into(comm, simulation, setup, output, show);
      output.finish();
    } catch (const base::Stopped&) {  // alike on all ranks
      output.close();
      throw;
    }
  });
  summary.ranks = comm.size();
  summary.phases = parallel::phase_seconds();
  if (!checkpoint.scheduled) {
    io::remove_checkpoint(comm, checkpoint.path);
  }
  return summary;
}

/// Makes a run, with its file or its image where one is asked for.
Summary make_on(const parallel::Communicator& comm, const cli::Simulation& simulation,
                const Show& show) {
  if (!simulation.result.path.empty() || simulation.result.image != nullptr) {
    return run_to_file(comm, simulation, show);
  }
  const engine::Setup setup = made_setup(comm, simulation);
  Summary summary;
  Watcher watcher(summary, show);
  const std::array<engine::Observer*, 1> observers{&watcher};
  engine::integrate(comm, *setup.engine, simulation.run, observers);
  summary.self_check = setup.engine->self_check();
  return summary;
}

/// Calls `show` with the chunks that the root sends, until it sends an empty one. Collective.
void show_what_root_sends(const parallel::Communicator& comm, const Show& show) {
  std::vector<double> chunk;
  const auto part = [&chunk](std::size_t i) {
    const std::size_t size = (chunk.size() - 1) / 4;
    return std::span<const double>(chunk).subspan(1 + i * size, size);
  };
  while (parallel::broadcast_all(comm, chunk, 0), !chunk.empty()) {
    show({static_cast<std::int64_t>(chunk[0]), part(0), part(1), part(2), part(3)});
  }
}

}  // namespace

Summary make(const parallel::Communicator& comm, const cli::Simulation& simulation,
             const Show& show) {
  const parallel::Communicator by = engine::communicator_for(comm, simulation.run);
  if (by.size() == comm.size()) {
    return make_on(by, simulation, show);
  }
  std::exception_ptr fault;  // of `show` on this rank
  const Show show_here = [&](const engine::Samples& samples) {
    try {
      if (!fault) {
        show(samples);
      }
    } catch (...) {
      fault = std::current_exception();
    }
  };
  const Show show_everywhere = [&](const engine::Samples& samples) {
    std::vector<double> chunk{static_cast<double>(samples.first_step)};
    for (const auto part : {samples.force, samples.x, samples.y, samples.restoring}) {
      chunk.insert(chunk.end(), part.begin(), part.end());
    }
    parallel::broadcast_all(comm, chunk, 0);
    show_here(samples);
  };
  Summary summary;
  if (!comm.is_root() && show) {
    show_what_root_sends(comm, show_here);
  }
  parallel::on_root(comm, [&] {
    std::exception_ptr failure;
    try {
      summary = make_on(by, simulation, show ? show_everywhere : show);
    } catch (...) {
      failure = std::current_exception();
    }
    if (std::vector<double> end; show) {
      parallel::broadcast_all(comm, end, 0);
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
  });
  parallel::broadcast(comm, std::span(&summary.self_check, 1));
  if (fault) {
    std::rethrow_exception(fault);
  }
  return summary;
}

int run(const parallel::Communicator& comm, const cli::Simulation& simulation) {
  const Summary summary = make(comm, simulation);
  cli::print(comm, text_of(summary, simulation, comm.size()));
  return base::exit_done;
}

}  // namespace masing::commands
