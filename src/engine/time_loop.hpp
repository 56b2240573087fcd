#pragma once

#include <functional>
#include <optional>
#include <span>

#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "parallel/communicator.hpp"

namespace masing::engine {

/// Where a run starts, and how it is saved.
struct Course {
  /// The step engine and observers have been brought to; nothing: they are at their start.
  std::optional<std::int64_t> resumed;
  Checkpointer* checkpointer = nullptr;  ///< null: the run is not saved
};

/// Advance `engine` from step 0, or the one where the run is resumed, to step N in chunks of up to
/// 4096 steps and about 0.1 s, and show every chunk to the observers. The root samples F(t) and
/// shares it, so x and y cannot drift apart between ranks. Throws UserError where F, x or y is not
/// finite, with the step; Stopped alike on all ranks after the chunk in which one of them was asked
/// to stop, the run having been saved. Collective.
void integrate(const parallel::Communicator& comm, Engine& engine, const RunSpec& run,
               std::span<Observer* const> observers, const Course& course = {});

}  // namespace masing::engine
