#include "engine/setup.hpp"

#include <utility>

#include "base/text.hpp"
#include "engine/generic.hpp"
#include "rheology/configured.hpp"

namespace engine {

namespace {

using options::Configuration;

/// F(0) of the root, on every rank.
double force_at_start(const parallel::Communicator& comm, const options::Function& force) {
  double value = force(0.0);
  parallel::broadcast(comm, std::span(&value, 1));
  return value;
}

void add_slab(const parallel::Communicator& comm, const Configuration& configuration,
              const Holding& holding, Setup& setup) {
  masing::Problem problem = masing::make_problem(configuration);
  masing::Profile profile = checked_profile(comm, problem, holding);
  setup.slab = std::make_unique<Slab>(Slab{std::move(problem), std::move(profile)});
  setup.engine = make_engine(comm, configuration, setup.slab->problem, setup.slab->profile);
}

void add_model(const parallel::Communicator& comm, const Configuration& configuration,
               Setup& setup) {
  rheology::ConfiguredModel configured = rheology::configured_model(configuration);
  setup.state = std::move(configured.layout);
  setup.engine = std::visit(
      [&](auto& model) -> std::unique_ptr<Engine> {
        using Model = std::remove_reference_t<decltype(model)>;
        return std::make_unique<Generic<Model>>(comm, std::move(model), std::move(configured.start),
                                                setup.state->motion(), setup.time.step(),
                                                force_at_start(comm, setup.driving));
      },
      configured.model);
}

}  // namespace

Setup make_setup(const parallel::Communicator& comm, const Configuration& configuration,
                 Holding holding) {
  Setup setup{.time = {.final_time = configuration.final_time, .steps = configuration.steps},
              .driving = options::driving_function(configuration)};
  holding.engine = *configuration.engine;
  if (options::family_of(configuration.model) == options::Family::finite) {
    add_model(comm, configuration, setup);
  } else {
    add_slab(comm, configuration, holding, setup);
  }
  return setup;
}

std::string title(const Configuration& configuration) {
  const bool finite = options::family_of(configuration.model) == options::Family::finite;
  const bool continuum = configuration.cells == options::infinitely_many;
  const std::string cells = "P = " + (continuum ? "inf" : base::to_text(configuration.cells));
  const bool quasistatic =
      options::family_of(configuration.model) == options::Family::quasistatic_slab;
  return (quasistatic ? configuration.model + ", " : "") + (finite ? configuration.model : cells) +
         ", N = " + base::to_text(configuration.steps);
}

}  // namespace engine
