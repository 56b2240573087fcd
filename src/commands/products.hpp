#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "options/configuration.hpp"
#include "parallel/communicator.hpp"
#include "study/refinement.hpp"

namespace commands {

/// What a trajectory leaves to say once its file is finished.
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

/// Make the result file of a trajectory. Throws UserError alike on all ranks. Collective.
Summary make_trajectory(const parallel::Communicator& comm,
                        const options::Configuration& configuration,
                        const std::string& command_line);

/// What is to be done with a study before it is written, which may fail. Collective.
using Announce = std::function<void(const study::Study& study)>;

/// Make the result file of a study. Throws UserError alike on all ranks. Collective.
study::Study make_study(const parallel::Communicator& comm,
                        const options::Configuration& configuration,
                        const std::string& command_line, const Announce& announce = {});

}  // namespace commands
