#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cli/configuration.hpp"
#include "parallel/communicator.hpp"
#include "study/refinement.hpp"

/// The commands of the program: thin; they wire the rooms together.
namespace masing::commands {

/// What the program was called with, after `masing COMMAND`.
struct Arguments {
  std::vector<std::string> words;
  std::string command_line;  ///< as typed, for the provenance
};

/// One trajectory → an HDF5 file, a summary on stdout. Returns an exit code. Collective.
int simulate(const parallel::Communicator& comm, const Arguments& arguments);

/// A refinement study → an HDF5 file, a table on stdout. Returns an exit code: 3 when an order is
/// not the expected one. Collective.
int converge(const parallel::Communicator& comm, const Arguments& arguments);

/// The configuration in a result file again, compared bit by bit with the file. Returns an exit
/// code: 1 when something differs. Collective.
int reproduce(const parallel::Communicator& comm, const Arguments& arguments);

/// The catalogue of models, or all of one of them, on stdout. Returns an exit code. Collective.
int models(const parallel::Communicator& comm, const Arguments& arguments);

/// Measures the machine and what each engine makes of it → an HDF5 file, a table on stdout. Returns
/// an exit code. Collective.
int benchmark(const parallel::Communicator& comm, const Arguments& arguments);

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
Summary make_trajectory(const parallel::Communicator& comm, const cli::Configuration& configuration,
                        const std::string& command_line);

/// What is to be done with a study before it is written, which may fail. Collective.
using Announce = std::function<void(const study::Study& study)>;

/// Make the result file of a study. Throws UserError alike on all ranks. Collective.
study::Study make_study(const parallel::Communicator& comm, const cli::Configuration& configuration,
                        const std::string& command_line, const Announce& announce = {});

}  // namespace masing::commands
