#include "commands/request.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/continuation.hpp"
#include "cli/model.hpp"
#include "cli/parse.hpp"
#include "engine/setup.hpp"
#include "io/result_reader.hpp"
#include "io/sealed_file.hpp"
#include "parallel/stopping.hpp"
#include "slab/step_limits.hpp"
#include "study/plan.hpp"

namespace masing::commands {

namespace {

/// The run with the largest step.
cli::Configuration coarsest(cli::Configuration configuration) {
  for (const cli::Level& level : configuration.levels) {
    configuration.steps = &level == &configuration.levels.front()
                              ? level.steps
                              : std::min(configuration.steps, level.steps);
  }
  return configuration;
}

/// Throws UserError where no leapfrog is possible; else the warning, empty if there is none.
std::string advice(const cli::Configuration& configuration) {
  const slab::Problem problem = slab::make_problem(configuration);
  const double frequency = slab::elastic_frequency(problem);
  const double step = problem.time.step();
  if (problem.scheme == cli::Scheme::leapfrog) {
    if (step * frequency > 2.0) {
      throw base::UserError(
          "--steps: leapfrog is unstable beyond a step of 2/omega = " +
          base::to_text(2.0 / frequency) + ", omega^2 = (k0 + int k ds)/m, and this one is " +
          base::to_text(step) + "; give at least " +
          base::to_text(slab::least_stable_steps(frequency, problem.time)) + " steps");
    }
    return {};
  }
  constexpr double tolerable = 1.1;
  const double growth = slab::elastic_growth(frequency, problem.time);
  if (!(growth > 10.0)) {
    return {};
  }
  char text[256] = "";
  std::snprintf(text, sizeof text,
                "with a step of %.4g euler lets an elastic oscillation grow by "
                "exp(dt omega^2 T/2) = %.3g until T; with a step of %.4g by %g",
                step, growth, slab::step_for_growth(frequency, problem.time, tolerable), tolerable);
  return text;
}

}  // namespace

void advise_on_step(const parallel::Communicator& comm, const cli::Configuration& configuration,
                    Speech speech) {
  if (configuration.engine == cli::EngineKind::exact ||
      cli::family_of(configuration.model) != cli::Family::slab) {
    return;
  }
  const std::string warning =
      parallel::from_root(comm, [&] { return advice(coarsest(configuration)); });
  // A failure has its one line "masing: ...", which this is not.
  if (comm.is_root() && !warning.empty() && speech == Speech::loud) {
    std::fprintf(stderr, "masing warning: %s\n", warning.c_str());
  }
}

namespace {

std::string content(const std::string& path) {
  constexpr std::streamsize largest = 256 << 20;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    throw base::UserError("cannot read " + path + ": " + std::strerror(errno));
  }
  if (!S_ISREG(info.st_mode) || info.st_size > largest) {
    throw base::UserError("cannot read " + path + ": not a regular file of at most 256 MiB");
  }
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    throw base::UserError("cannot read " + path + ": " + std::strerror(errno));
  }
  return text.str();
}

/// Checks what only a look shows: every cell, what the engine needs, and F at every step, or at a
/// million of them.
void validate_run(const parallel::Communicator& comm, const cli::Configuration& configuration) {
  const engine::Setup setup = engine::make_setup(comm, configuration);
  constexpr std::int64_t looks = 1000000;
  const std::int64_t stride = setup.time.steps / looks + 1;
  for (std::int64_t p = 0; p <= setup.time.steps; p += stride) {
    const double force = setup.driving(setup.time.time(p));
    if (!std::isfinite(force)) {
      throw base::UserError(
          (configuration.position.empty() ? "--force: F(t) = " : "--position: x(t) = ") +
          base::to_text(force) + " at t = " + base::to_text(setup.time.time(p)) +
          "; it must be finite on [0, T]");
    }
  }
}

/// The same for every run of a study.
void validate_runs(const parallel::Communicator& comm, const cli::Configuration& configuration) {
  if (configuration.command == cli::Command::simulate) {
    validate_run(comm, configuration);
    return;
  }
  const study::StudyPlan plan = study::make_plan(configuration, 1, {});
  for (const std::size_t level : plan.levels) {
    validate_run(comm, plan.jobs[level].configuration);
  }
  for (const auto& reference : plan.references) {
    if (reference) {
      validate_run(comm, plan.jobs[*reference].configuration);
    }
  }
}

/// The configuration as one that goes on with its checkpoint.
cli::Configuration continued(const parallel::Communicator& comm, cli::Configuration configuration) {
  io::require_seal(comm, configuration.restart, "--restart");  // before HDF5 looks at it
  const std::string before = parallel::from_root(comm, [&] {
    const io::Recipe recipe = io::read_recipe(configuration.restart);
    if (recipe.kind != cli::name_of(configuration.command)) {
      throw base::UserError("--restart: " + configuration.restart + " is of masing " + recipe.kind +
                            "; give a checkpoint of masing " + cli::name_of(configuration.command));
    }
    return recipe.configuration;
  });
  return cli::continued(std::move(configuration), before);
}

void say(const parallel::Communicator& comm, const std::string& text) {
  if (comm.is_root()) {
    std::fputs(text.c_str(), stdout);
  }
}

}  // namespace

std::optional<cli::Configuration> requested(const parallel::Communicator& comm,
                                            cli::Command command, const Arguments& arguments) {
  const base::FileReader read = [&](const std::string& path) {
    return parallel::from_root(comm, [&] { return content(path); });
  };
  cli::Request request = cli::parse(command, arguments.words, read);
  if (request.help) {
    say(comm, cli::help(command));
    return std::nullopt;
  }
  cli::Configuration configuration =
      cli::validated_with_model(std::move(request.configuration), read);
  if (!configuration.restart.empty()) {
    configuration = continued(comm, std::move(configuration));
  }
  const bool runs = !request.validate_only && !request.print_config;
  advise_on_step(comm, configuration, runs ? Speech::loud : Speech::silent);
  if (request.validate_only) {
    validate_runs(comm, configuration);
  }
  if (request.print_config) {
    say(comm, cli::printed(configuration));
  } else if (request.validate_only) {
    say(comm, "valid\n");
  }
  if (request.print_config || request.validate_only) {
    return std::nullopt;
  }
  if (configuration.wall_limit) {
    parallel::limit_wall_time(*configuration.wall_limit);
  }
  return configuration;
}

}  // namespace masing::commands
