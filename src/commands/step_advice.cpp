#include "commands/step_advice.hpp"

#include <algorithm>
#include <cstdio>

#include "base/error.hpp"
#include "base/text.hpp"
#include "masing/step_limits.hpp"

namespace commands {

namespace {

/// The run with the largest step.
options::Configuration coarsest(options::Configuration configuration) {
  for (const options::Level& level : configuration.levels) {
    configuration.steps = &level == &configuration.levels.front()
                              ? level.steps
                              : std::min(configuration.steps, level.steps);
  }
  return configuration;
}

/// Throws UserError where no leapfrog is possible; else the warning, empty if there is none.
std::string advice(const options::Configuration& configuration) {
  const masing::Problem problem = masing::make_problem(configuration);
  const double frequency = masing::elastic_frequency(problem);
  const double step = problem.time.step();
  if (problem.scheme == options::Scheme::leapfrog) {
    if (step * frequency > 2.0) {
      throw base::UserError(
          "--steps: leapfrog is unstable beyond a step of 2/omega = " +
          base::to_text(2.0 / frequency) + ", omega^2 = (k0 + int k ds)/m, and this one is " +
          base::to_text(step) + "; give at least " +
          base::to_text(masing::least_stable_steps(frequency, problem.time)) + " steps");
    }
    return {};
  }
  constexpr double tolerable = 1.1;
  const double growth = masing::elastic_growth(frequency, problem.time);
  if (!(growth > 10.0)) {
    return {};
  }
  char text[256] = "";
  std::snprintf(text, sizeof text,
                "with a step of %.4g euler lets an elastic oscillation grow by "
                "exp(dt omega^2 T/2) = %.3g until T; with a step of %.4g by %g",
                step, growth, masing::step_for_growth(frequency, problem.time, tolerable),
                tolerable);
  return text;
}

}  // namespace

void advise_on_step(const parallel::Communicator& comm, const options::Configuration& configuration,
                    Speech speech) {
  if (configuration.engine == options::EngineKind::exact ||
      options::family_of(configuration.model) != options::Family::slab) {
    return;
  }
  const std::string warning =
      parallel::from_root(comm, [&] { return advice(coarsest(configuration)); });
  // A failure has its one line "masing: ...", which this is not.
  if (comm.is_root() && !warning.empty() && speech == Speech::loud) {
    std::fprintf(stderr, "masing warning: %s\n", warning.c_str());
  }
}

}  // namespace commands
