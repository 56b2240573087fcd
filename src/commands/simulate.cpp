#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "commands/commands.hpp"
#include "commands/request.hpp"
#include "engine/sweep.hpp"
#include "engine/time_loop.hpp"
#include "io/output_file.hpp"
#include "io/progress.hpp"
#include "io/recorder.hpp"

namespace commands {

namespace {

/// The ranges of x and of the restoring force over all steps, for the summary.
class Extremes final : public engine::Observer {
 public:
  void observe(const engine::Samples& samples, engine::Engine& /*engine*/) override {
    for (std::size_t i = 0; i < samples.x.size(); ++i) {
      x_.add(samples.x[i]);
      restoring_.add(samples.restoring[i]);
    }
  }

  void print() const {
    std::printf("  x in [%.6g, %.6g], restoring force in [%.6g, %.6g]\n", x_.least, x_.most,
                restoring_.least, restoring_.most);
  }

 private:
  struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    void add(double value) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  };
  Range x_;
  Range restoring_;
};

/// What a run leaves to say once its file is finished.
struct Summary {
  Extremes extremes;
  std::int64_t samples = 0;
  double seconds = 0.0;
  double steps_per_second = 0.0;
  double updates_per_second = 0.0;
};

std::string title(const masing::Problem& problem) {
  return "P = " + std::to_string(problem.cells) + ", N = " + std::to_string(problem.time.steps);
}

void write_timing(const io::Handle& file, const Summary& summary) {
  const io::Handle group = io::create_group(file, "/timing");
  io::write_attribute(group, "wall_seconds", summary.seconds);
  io::write_attribute(group, "steps_per_second", summary.steps_per_second);
  io::write_attribute(group, "cell_updates_per_second", summary.updates_per_second);
}

/// Integrate into the open file. All that writes to it has died when this returns.
void run(const parallel::Communicator& comm, const options::Configuration& configuration,
         const masing::Problem& problem, const masing::Profile& profile, const io::Handle& file,
         Summary& summary) {
  engine::Sweep engine(comm, problem, profile);
  const io::Sampling sampling{.time = problem.time,
                              .every = *configuration.sample_every,
                              .from = *configuration.from,
                              .to = *configuration.to};
  io::SeriesRecorder series(comm, file, sampling);
  io::FieldRecorder field(comm, file, problem, profile, configuration.field_every);
  std::vector<engine::Observer*> observers{&series, &field, &summary.extremes};
  std::optional<io::ProbeRecorder> probe;
  if (!configuration.probe.empty()) {
    observers.push_back(&probe.emplace(comm, file, sampling, configuration.probe, problem.cells));
  }
  std::optional<io::Progress> progress;
  if (!configuration.quiet) {
    observers.push_back(&progress.emplace(comm, title(problem), problem.time.steps));
  }

  const auto begin = std::chrono::steady_clock::now();
  engine::integrate(comm, engine, problem.force, problem.time, observers);
  series.flush();
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  summary.samples = series.rows();
  summary.steps_per_second = static_cast<double>(problem.time.steps) / summary.seconds;
  summary.updates_per_second = summary.steps_per_second * static_cast<double>(problem.cells);
  write_timing(file, summary);
}

}  // namespace

int simulate(const parallel::Communicator& comm, const Arguments& arguments) {
  const auto configuration = requested(comm, options::Command::simulate, arguments);
  if (!configuration) {
    return base::exit_done;
  }
  const masing::Problem problem = masing::make_problem(*configuration);
  const masing::Profile profile = engine::checked_profile(comm, problem);
  io::OutputFile output(comm, *configuration, arguments.command_line);
  Summary summary;
  run(comm, *configuration, problem, profile, output.file(), summary);
  output.finish();
  if (comm.is_root()) {
    std::printf("masing simulate: %s, T = %g, %d rank%s\n", title(problem).c_str(),
                problem.time.final_time, comm.size(), comm.size() == 1 ? "" : "s");
    summary.extremes.print();
    std::printf("  %.3g s, %.3g steps/s, %.3g cell-updates/s\n", summary.seconds,
                summary.steps_per_second, summary.updates_per_second);
    std::printf("  %lld samples in %s\n", static_cast<long long>(summary.samples),
                output.path().c_str());
  }
  return base::exit_done;
}

}  // namespace commands
