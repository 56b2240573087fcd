#include "engine/setup.hpp"

#include <utility>

#include "base/text.hpp"
#include "engine/generic.hpp"
#include "engine/ranks.hpp"
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
  if (options::family_of(configuration.model) == options::Family::quasistatic_slab) {
    setup.state = {.groups = {{"x"}}};
  }
  setup.engine = make_engine(comm, configuration, setup.slab->problem, setup.slab->profile);
}

/// A model whose work every rank does alike, as an engine runs it.
template <class Model>
Model placed(const parallel::Communicator& /*comm*/, Model model,
             const rheology::ConfiguredModel& /*configured*/) {
  return model;
}

rheology::SChainOn<RankLine> placed(const parallel::Communicator& comm, rheology::SChain model,
                                    const rheology::ConfiguredModel& configured) {
  return {std::move(model), RankLine(comm, configured.elements, configured.layout.elements)};
}

rheology::PSeriesOn<RankReduction> placed(const parallel::Communicator& comm,
                                          rheology::PSeries model,
                                          const rheology::ConfiguredModel& /*configured*/) {
  return {std::move(model), RankReduction(comm)};
}

void add_model(const parallel::Communicator& comm, const Configuration& configuration,
               const Holding& holding, Setup& setup) {
  require_state_memory(comm, configuration, holding);
  rheology::ConfiguredModel configured = rheology::configured_model(
      configuration,
      [&](std::int64_t elements) { return base::slab_of(elements, comm.rank(), comm.size()); });
  setup.state = configured.layout;
  StateColumns columns(comm, configured.layout, configured.elements, configured.work);
  setup.engine = std::visit(
      [&](auto& model) -> std::unique_ptr<Engine> {
        auto here = placed(comm, std::move(model), configured);
        return std::make_unique<Generic<decltype(here)>>(
            comm, std::move(here), std::move(configured.start), std::move(columns),
            setup.time.step(), force_at_start(comm, setup.driving));
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
    add_model(comm, configuration, holding, setup);
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
