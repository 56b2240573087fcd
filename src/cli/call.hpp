#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/spec.hpp"
#include "parallel/communicator.hpp"

// A call of the program, from its words to the spec of what is to be done.

namespace masing::cli {

/// What is done on all ranks; returns an exit code. Collective.
using Work = std::function<int(const parallel::Communicator&)>;

/// A call of the program, `masing COMMAND WORDS`, as one process sees it: at first perhaps without
/// MPI, so that help and mistakes are answered at once.
struct Invocation {
  std::vector<std::string> words;  ///< after the command, without those for PETSc
  std::string command_line;        ///< as typed, for the provenance
  bool prints = true;              ///< whether this process writes to stdout and stderr
  /// Calls a function on one process and returns its text on every one; a UserError is thrown on
  /// every one alike.
  std::function<std::string(const std::function<std::string()>&)> on_root;
  /// Starts MPI where it has not started yet, does the work, and returns its exit code. Once.
  std::function<int(const Work&)> on_all_ranks;
};

/// What a call of masing simulate, converge or scan asks for.
struct Job {
  Spec spec;
  std::shared_ptr<const Request> request;
  std::optional<double> wall_limit;           ///< seconds
  std::optional<std::string> only_validated;  ///< what is printed where nothing more is asked for
};

/// The job of a call; nothing where it was for a text, which is then printed. A request with
/// --restart is continued from its checkpoint. Warns on stderr where `euler` lets an elastic
/// oscillation grow more than tenfold. Throws UserError, also where `leapfrog` is unstable. Local
/// without a launcher, else collective.
std::optional<Job> job_of(Command command, const Invocation& call);

/// The request in a result file that can be made again; `inspect` is called with its name in the
/// process that reads it. Warns on stderr where the file has no seal. Throws UserError. Local
/// without a launcher, else collective.
Validated request_in(const Invocation& call, const std::string& file,
                     const std::function<void(const std::string&)>& inspect = {});

}  // namespace masing::cli
