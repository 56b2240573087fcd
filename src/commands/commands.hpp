#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parallel/communicator.hpp"

/// The commands of the program: thin; they wire the rooms together. A command first reads its words
/// without MPI, so that help and mistakes are answered at once, and returns the work to be done.
namespace masing::commands {

/// A call of the program, `masing COMMAND WORDS`, as one process sees it.
struct Invocation {
  std::vector<std::string> words;  ///< after the command, without those for PETSc
  std::string command_line;        ///< as typed, for the provenance
  bool prints = true;              ///< whether this process writes to stdout and stderr
  /// Calls a function on one process and returns its text on every one; a UserError is thrown on
  /// every one alike.
  std::function<std::string(const std::function<std::string()>&)> on_root;
};

/// The work of a command on all ranks; returns an exit code. Collective.
using Work = std::function<int(const parallel::Communicator&)>;

/// One trajectory → an HDF5 file, a summary on stdout. Nothing where the words asked only for a
/// text, which is then printed. Throws UserError.
std::optional<Work> simulate(const Invocation& call);

/// A refinement study → an HDF5 file, a table on stdout; exit code 3 where an order is not the
/// expected one. Otherwise as simulate.
std::optional<Work> converge(const Invocation& call);

/// One run, or one limit cycle, for each point of a grid of parameters → an HDF5 file, a table on
/// stdout; exit code 1 where a point failed. Otherwise as simulate.
std::optional<Work> scan(const Invocation& call);

/// The configuration in a result file again, compared with the file; exit code 1 where a number
/// differs. Otherwise as simulate.
std::optional<Work> reproduce(const Invocation& call);

/// The catalogue of models, or all of one of them, on stdout. Throws UserError.
std::optional<Work> models(const Invocation& call);

/// Measures the machine and what each engine makes of it → an HDF5 file, a table on stdout.
/// Otherwise as simulate.
std::optional<Work> benchmark(const Invocation& call);

}  // namespace masing::commands
