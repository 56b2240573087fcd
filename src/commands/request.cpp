#include "commands/request.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands/step_advice.hpp"
#include "engine/setup.hpp"
#include "io/compare.hpp"
#include "io/sealed_file.hpp"
#include "options/continuation.hpp"
#include "options/parse.hpp"
#include "options/print.hpp"
#include "parallel/stopping.hpp"
#include "rheology/configured.hpp"
#include "study/plan.hpp"

namespace commands {

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
void validate_run(const parallel::Communicator& comm, const options::Configuration& configuration) {
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
void validate_runs(const parallel::Communicator& comm,
                   const options::Configuration& configuration) {
  if (configuration.command == options::Command::simulate) {
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
options::Configuration continued(const parallel::Communicator& comm,
                                 options::Configuration configuration) {
  io::require_seal(comm, configuration.restart, "--restart");  // before HDF5 looks at it
  const std::string before = parallel::from_root(comm, [&] {
    const io::Recipe recipe = io::read_recipe(configuration.restart);
    if (recipe.kind != options::name_of(configuration.command)) {
      throw base::UserError("--restart: " + configuration.restart + " is of masing " + recipe.kind +
                            "; give a checkpoint of masing " +
                            options::name_of(configuration.command));
    }
    return recipe.configuration;
  });
  return options::continued(std::move(configuration), before);
}

void say(const parallel::Communicator& comm, const std::string& text) {
  if (comm.is_root()) {
    std::fputs(text.c_str(), stdout);
  }
}

}  // namespace

std::optional<options::Configuration> requested(const parallel::Communicator& comm,
                                                options::Command command,
                                                const Arguments& arguments) {
  const options::FileReader read = [&](const std::string& path) {
    return parallel::from_root(comm, [&] { return content(path); });
  };
  options::Request request = options::parse(command, arguments.words, read);
  if (request.help) {
    say(comm, options::help(command));
    return std::nullopt;
  }
  options::Configuration configuration =
      rheology::validated(std::move(request.configuration), read);
  if (!configuration.restart.empty()) {
    configuration = continued(comm, std::move(configuration));
  }
  const bool runs = !request.validate_only && !request.print_config;
  advise_on_step(comm, configuration, runs ? Speech::loud : Speech::silent);
  if (request.validate_only) {
    validate_runs(comm, configuration);
  }
  if (request.print_config) {
    say(comm, options::printed(configuration));
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

}  // namespace commands
