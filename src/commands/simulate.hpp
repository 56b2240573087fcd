#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "cli/validate.hpp"
#include "engine/engine.hpp"
#include "parallel/communicator.hpp"

namespace masing::commands {

/// What is said of a trajectory once its file is finished.
struct Summary {
  double least_x = std::numeric_limits<double>::infinity();
  double most_x = -std::numeric_limits<double>::infinity();
  double least_restoring = std::numeric_limits<double>::infinity();
  double most_restoring = -std::numeric_limits<double>::infinity();
  std::int64_t samples = 0;
  double seconds = 0.0;
  double steps_per_second = 0.0;
  double updates_per_second = 0.0;  ///< 0 for P = ∞
  double self_check = 0.0;          ///< of the exact solution; 0 for others
};

/// Makes the result file of a trajectory, which `observers` see, too. Throws UserError alike on all
/// ranks. Collective.
Summary make_trajectory(const parallel::Communicator& comm, const cli::Simulation& simulation,
                        std::span<engine::Observer* const> observers = {});

}  // namespace masing::commands
