#pragma once

#include <functional>
#include <span>

#include "engine/engine.hpp"
#include "engine/observer.hpp"
#include "masing/problem.hpp"
#include "parallel/communicator.hpp"

namespace engine {

/// Advance `engine` from step 0 to step N in chunks of up to 4096 steps and about 0.1 s, and show
/// every chunk to the observers. The root samples F(t) and shares it, so x and y cannot drift apart
/// between ranks. Throws UserError where F, x or y is not finite, with the step. Collective.
void integrate(const parallel::Communicator& comm, Engine& engine, const options::Function& force,
               const masing::TimeGrid& time, std::span<Observer* const> observers);

}  // namespace engine
