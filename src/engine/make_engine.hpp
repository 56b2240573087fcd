#pragma once

#include <memory>

#include "engine/engine.hpp"
#include "engine/memory_need.hpp"
#include "masing/problem.hpp"
#include "masing/profile.hpp"
#include "options/configuration.hpp"

namespace engine {

/// Looks at every cell of the field on every rank and keeps none: what formulas give of the
/// profile. Throws UserError alike on all ranks, for the first cell at fault. Collective.
masing::ProfileForm checked_form(const parallel::Communicator& comm,
                                 const masing::Problem& problem);

/// Throws UserError alike on all ranks where a model that is no slab does not fit into memory.
/// Collective.
void require_state_memory(const parallel::Communicator& comm,
                          const options::Configuration& configuration, const Holding& holding);

/// The profile of this rank's part of the field, checked_form's, with the arrays that no formula
/// gives. Throws UserError alike on all ranks, for the first cell at fault, or, before anything
/// large is allocated, where the run does not fit into memory. Collective.
masing::Profile checked_profile(const parallel::Communicator& comm, const masing::Problem& problem,
                                const Holding& holding = {});

/// The engine that a configuration asks for, at its start. `comm`, `problem` and `profile`
/// (checked_profile's) must outlive it. Throws UserError alike on all ranks where the engine cannot
/// solve the problem. Collective.
std::unique_ptr<Engine> make_engine(const parallel::Communicator& comm,
                                    const options::Configuration& configuration,
                                    const masing::Problem& problem, const masing::Profile& profile);

}  // namespace engine
