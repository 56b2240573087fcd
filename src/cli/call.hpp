#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/spec.hpp"
#include "parallel/communicator.hpp"

// These functions turn the words of a call of the program into the spec of what is computed.

namespace masing::cli {

/// A call of the program, `masing COMMAND WORDS`.
struct Invocation {
  std::vector<std::string> words;       ///< the words after the command, without those for PETSc
  std::string command_line;             ///< the whole command line as typed, stored in /provenance
  const parallel::Communicator& comm;   ///< the ranks of the call; must outlive this object
  std::vector<std::string> petsc = {};  ///< the words after --petsc
  std::string program = "masing";       ///< the name of the program as typed
};

/// What a call of masing simulate, converge or scan computes. While the object lives, the messages
/// of UserErrors say where the user gave the quantities of the request.
struct Job {
  Spec spec;
  std::shared_ptr<const Request> request;
  std::unique_ptr<base::GivenAt> origins;
  std::string summary;  ///< the file that --summary names, or empty
  /// if present, the job is only validated, and then this text is printed
  std::optional<std::string> only_validated;
};

/// Parses a call and returns its job. With --print-config but without --validate-only, prints the
/// configuration and returns nothing. With --restart, the request is completed from the checkpoint
/// by continued(). Prints warnings on stderr, such as that an elastic oscillation grows more than
/// tenfold with the scheme `euler`. With --wall-limit, starts the timer that stops the run. Throws
/// UserError if the words or the files that they name are not valid, or if the scheme `leapfrog` is
/// unstable. Collective.
std::optional<Job> job_of(Command command, const Invocation& call);

/// Returns the request stored in a result file. Keys that were derived when the file was written
/// keep their stored values. Prints a warning on stderr if the file has no seal. Throws UserError
/// if the file is damaged, if it is a checkpoint, or if it was written by another command than
/// simulate, converge and scan. Collective.
BoundRequest request_in(const Invocation& call, const std::string& file);

/// Prints a text to `to` on the root; does nothing on other ranks. A text for stderr is passed to
/// base::say. Local.
void print(const parallel::Communicator& comm, const std::string& text, std::FILE* to = stdout);

}  // namespace masing::cli
