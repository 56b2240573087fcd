#include "study/run.hpp"

#include <chrono>
#include <optional>
#include <vector>

#include "engine/make_engine.hpp"
#include "engine/time_loop.hpp"
#include "io/progress.hpp"

namespace study {

options::Configuration at_level(options::Configuration configuration, const options::Level& level) {
  configuration.cells = level.cells;
  configuration.steps = level.steps;
  return configuration;
}

Run run(const parallel::Communicator& comm, const options::Configuration& configuration,
        const Watch& watch) {
  const auto begin = std::chrono::steady_clock::now();
  const masing::Problem problem = masing::make_problem(configuration);
  const masing::Profile profile = engine::checked_profile(
      comm, problem, {.engine = *configuration.engine, .fields = watch.field_samples});
  const auto engine = engine::make_engine(comm, configuration, problem, profile);
  auto recording = std::make_unique<Recording>(comm, problem, watch.stride, watch.field_samples);
  std::vector<engine::Observer*> observers{recording.get()};
  if (watch.observer != nullptr) {
    observers.push_back(watch.observer);
  }
  std::optional<io::Progress> progress;
  if (!configuration.quiet) {
    observers.push_back(&progress.emplace(comm, watch.title, problem.time.steps));
  }
  engine::integrate(comm, *engine, problem.force, problem.time, observers);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {std::move(recording), took.count()};
}

}  // namespace study
