#pragma once

#include <memory>

#include "engine/engine.hpp"
#include "masing/problem.hpp"
#include "masing/profile.hpp"
#include "options/configuration.hpp"

namespace engine {

/// The profile of this rank's part of the field, checked on every cell of every rank. Throws
/// UserError alike on all ranks, for the first cell at fault. Collective.
masing::Profile checked_profile(const parallel::Communicator& comm, const masing::Problem& problem);

/// The engine that a configuration asks for, at its start. `comm`, `problem` and `profile`
/// (checked_profile's) must outlive it. Throws UserError alike on all ranks where the engine cannot
/// solve the problem. Collective.
std::unique_ptr<Engine> make_engine(const parallel::Communicator& comm,
                                    const options::Configuration& configuration,
                                    const masing::Problem& problem, const masing::Profile& profile);

}  // namespace engine
