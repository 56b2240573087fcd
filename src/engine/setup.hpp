#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/make_engine.hpp"
#include "rheology/model_info.hpp"

namespace engine {

/// The continuous Masing inclusion, and the part of its profile on this rank.
struct Slab {
  masing::Problem problem;
  masing::Profile profile;
};

/// A run made ready: what every command, file and study needs of it, whatever its model.
struct Setup {
  masing::TimeGrid time;
  options::Function driving;                   ///< F(t), or x(t) where that is prescribed
  std::unique_ptr<Slab> slab;                  ///< of a model of slabs; else nothing
  std::optional<rheology::StateLayout> state;  ///< of any other model; else nothing
  std::unique_ptr<Engine> engine;              ///< at its start
};

/// The run of a validated configuration. `comm` must outlive it. Throws UserError alike on all
/// ranks where it does not fit into memory, or the engine cannot solve it. Collective.
Setup make_setup(const parallel::Communicator& comm, const options::Configuration& configuration,
                 Holding holding = {});

/// What runs, for people: "P = 1500, N = 1000000" or "prandtl, N = 1000000". Local.
std::string title(const options::Configuration& configuration);

}  // namespace engine
