#pragma once

#include <string>
#include <vector>

#include "parallel/communicator.hpp"

/// The commands of the program: thin; they wire the rooms together.
namespace commands {

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

}  // namespace commands
