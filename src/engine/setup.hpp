#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/configuration.hpp"
#include "engine/engine.hpp"
#include "engine/memory_need.hpp"
#include "rheology/model_info.hpp"
#include "slab/problem.hpp"
#include "slab/profile.hpp"

namespace masing::engine {

/// Looks at every cell of the field on every rank and keeps none: what formulas give of the
/// profile. Throws UserError alike on all ranks, for the first cell at fault. Collective.
slab::ProfileForm checked_form(const parallel::Communicator& comm, const slab::Problem& problem);

/// Throws UserError alike on all ranks where a model that is no slab does not fit into memory.
/// Collective.
void require_state_memory(const parallel::Communicator& comm,
                          const cli::Configuration& configuration, const Holding& holding);

/// The profile of this rank's part of the field, checked_form's, with the arrays that no formula
/// gives. Throws UserError alike on all ranks, for the first cell at fault, or, before anything
/// large is allocated, where the run does not fit into memory. Collective.
slab::Profile checked_profile(const parallel::Communicator& comm, const slab::Problem& problem,
                              const Holding& holding = {});

/// The engine that a configuration asks for, at its start. `comm`, `problem` and `profile`
/// (checked_profile's) must outlive it. Throws UserError alike on all ranks where the engine cannot
/// solve the problem. Collective.
std::unique_ptr<Engine> make_engine(const parallel::Communicator& comm,
                                    const cli::Configuration& configuration,
                                    const slab::Problem& problem, const slab::Profile& profile);

/// The continuous Masing inclusion, and the part of its profile on this rank.
struct Slab {
  slab::Problem problem;
  slab::Profile profile;
};

/// A run made ready: what every command, file and study needs of it, whatever its model.
struct Setup {
  slab::TimeGrid time;
  base::Function driving;                      ///< F(t), or x(t) where that is prescribed
  std::unique_ptr<Slab> slab;                  ///< of a model of slabs; else nothing
  std::optional<rheology::StateLayout> state;  ///< of /state/values; nothing for masing
  std::unique_ptr<Engine> engine;              ///< at its start
};

/// The run of a validated configuration. `comm` must outlive it. Throws UserError alike on all
/// ranks where it does not fit into memory, or the engine cannot solve it. Collective.
Setup make_setup(const parallel::Communicator& comm, const cli::Configuration& configuration,
                 Holding holding = {});

/// What runs, for people: "P = 1500, N = 1000000" or "prandtl, N = 1000000". Local.
std::string title(const cli::Configuration& configuration);

}  // namespace masing::engine
