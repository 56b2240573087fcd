#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/continuation.hpp"
#include "commands/commands.hpp"
#include "commands/request.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "io/checkpoint.hpp"
#include "io/energy_recorder.hpp"
#include "io/progress.hpp"
#include "io/recorders.hpp"
#include "io/result_file.hpp"

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

  void exchange(std::int64_t /*step*/, engine::Archive& archive) override {
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

void write_timing(const io::Handle& file, const Summary& summary) {
  const io::Handle group = io::create_group(file, "/timing");
  io::write_attribute(group, "wall_seconds", summary.seconds);
  io::write_attribute(group, "steps_per_second", summary.steps_per_second);
  io::write_attribute(group, "cell_updates_per_second", summary.updates_per_second);
}

/// When the state is written: of a slab without a mass, which has a field beside it, with every
/// sample; else at its own distances, and at both ends.
io::Sampling state_sampling(const cli::Configuration& configuration, io::Sampling sampling) {
  if (cli::family_of(configuration.model) == cli::Family::finite) {
    sampling.every =
        configuration.field_every > 0 ? configuration.field_every : configuration.steps;
  }
  return sampling;
}

/// Brings the actors to the checkpoint that the open file was made from, and makes it a result file
/// again. Returns the step of the checkpoint.
std::int64_t resume(const cli::Configuration& configuration, const io::Handle& file,
                    const io::Actors& actors) {
  const std::int64_t step = io::checkpoint_step(file, configuration.restart, configuration.steps);
  io::restore(file, configuration.restart, step, actors);
  io::check(H5Ldelete(file.id(), "/checkpoint", H5P_DEFAULT));
  return step;
}

/// Integrate into the open file. All that writes to it has died when this returns.
Summary integrate_into(const parallel::Communicator& comm, const cli::Configuration& configuration,
                       engine::Setup& setup, const io::OutputFile& output) {
  const io::Handle& file = output.file();
  Summary summary;
  Extremes extremes(summary);
  const io::Sampling sampling{.time = setup.time,
                              .every = *configuration.sample_every,
                              .from = *configuration.from,
                              .to = *configuration.to};
  io::SeriesRecorder series(comm, file, sampling);
  std::vector<engine::Observer*> observers{&series, &extremes};
  std::optional<io::StateRecorder> state;
  if (setup.state) {
    observers.push_back(
        &state.emplace(comm, file, state_sampling(configuration, sampling), *setup.state));
  }
  std::optional<io::FieldRecorder> field;
  std::optional<io::ProbeRecorder> probe;
  std::optional<io::EnergyRecorder> energy;
  if (const engine::Slab* slab = setup.slab.get()) {
    observers.push_back(
        &field.emplace(comm, file, slab->problem, slab->profile, configuration.field_every));
    if (!configuration.probe.empty()) {
      observers.push_back(
          &probe.emplace(comm, file, sampling, configuration.probe, slab->problem.field_cells()));
    }
    if (configuration.energy) {
      observers.push_back(&energy.emplace(comm, file, sampling, slab->problem, slab->profile));
    }
  }
  const io::Actors actors{setup.engine.get(), observers};
  io::Checkpoints checkpoints(comm, cli::checkpoint_of(configuration), io::rhythm_of(configuration),
                              actors, [&](const std::string& draft) { output.copy_to(draft); });
  engine::Course course{.checkpointer = &checkpoints};
  if (!configuration.restart.empty()) {
    course.resumed = resume(configuration, file, actors);
  }
  std::optional<io::Progress> progress;
  if (!configuration.quiet) {
    observers.push_back(&progress.emplace(comm, engine::title(configuration), setup.time.steps));
  }

  const auto begin = std::chrono::steady_clock::now();
  try {
    engine::integrate(comm, *setup.engine, setup.driving, setup.time, observers, course);
  } catch (const base::Stopped& stopped) {
    throw base::Stopped(stopped.what() + cli::how_to_go_on(configuration));
  }
  series.flush();
  if (state) {
    state->flush();
  }
  if (energy) {
    energy->flush();
  }
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  parallel::broadcast(comm, std::span(&summary.seconds, 1));  // every rank must write the same
  summary.samples = series.rows();
  summary.self_check = setup.engine->self_check();
  const std::int64_t steps = setup.time.steps - course.resumed.value_or(0);
  summary.steps_per_second = static_cast<double>(steps) / summary.seconds;
  summary.updates_per_second =
      setup.slab ? summary.steps_per_second * static_cast<double>(setup.slab->problem.cells) : 0.0;
  write_timing(file, summary);
  return summary;
}

}  // namespace

Summary make_trajectory(const parallel::Communicator& comm, const cli::Configuration& configuration,
                        const std::string& command_line) {
  // What the engine cannot solve is refused before there is a file.
  engine::Setup setup = engine::make_setup(comm, configuration);
  const io::OutputLock lock(comm, configuration.output);
  std::optional<io::OutputLock> checkpoint_lock;
  if (!configuration.checkpoint.empty()) {
    checkpoint_lock.emplace(comm, configuration.checkpoint, "--checkpoint");
  }
  io::OutputFile output = configuration.restart.empty()
                              ? io::OutputFile(comm, configuration, command_line)
                              : io::OutputFile(comm, configuration);
  return io::naming(configuration.output, [&] {
    const Summary summary = integrate_into(comm, configuration, setup, output);
    output.finish();
    return summary;
  });
}

int simulate(const parallel::Communicator& comm, const Arguments& arguments) {
  const auto configuration = requested(comm, cli::Command::simulate, arguments);
  if (!configuration) {
    return base::exit_done;
  }
  const Summary summary = make_trajectory(comm, *configuration, arguments.command_line);
  if (comm.is_root()) {
    std::printf("masing simulate: %s, T = %g, %d rank%s\n", engine::title(*configuration).c_str(),
                configuration->final_time, comm.size(), comm.size() == 1 ? "" : "s");
    std::printf("  x in [%.6g, %.6g], restoring force in [%.6g, %.6g]\n", summary.least_x,
                summary.most_x, summary.least_restoring, summary.most_restoring);
    std::printf("  %.3g s, %.3g steps/s", summary.seconds, summary.steps_per_second);
    if (summary.updates_per_second > 0) {
      std::printf(", %.3g cell-updates/s", summary.updates_per_second);
    }
    if (configuration->engine == cli::EngineKind::exact) {
      std::printf("\n  two tolerances agree to %.1e in x and y", summary.self_check);
    }
    std::printf("\n  %lld samples in %s\n", static_cast<long long>(summary.samples),
                configuration->output.c_str());
  }
  return base::exit_done;
}

}  // namespace masing::commands
