#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/spec.hpp"
#include "parallel/communicator.hpp"

// A call of the program, from its words to the spec of what is to be done.

namespace masing::cli {

/// A call of the program, `masing COMMAND WORDS`.
struct Invocation {
  std::vector<std::string> words;       ///< after the command, without those for PETSc
  std::string command_line;             ///< as typed, for the provenance
  const parallel::Communicator& comm;   ///< must outlive it
  std::vector<std::string> petsc = {};  ///< the words for PETSc
  std::string program = "masing";       ///< as typed
};

/// What a call of masing simulate, converge or scan asks for. While it lives, mistakes say where
/// the quantities of its request were given.
struct Job {
  Spec spec;
  std::shared_ptr<const Request> request;
  std::unique_ptr<base::GivenAt> origins;
  std::string summary;                        ///< the file of --summary, or empty
  std::optional<std::string> only_validated;  ///< with --validate-only: printed after the checks
};

/// The job of a call; none for --print-config, which prints. A request with
/// --restart is continued from its checkpoint. Warns on stderr where `euler` lets an elastic
/// oscillation grow more than tenfold. Begins --wall-limit. Throws UserError, also where
/// `leapfrog` is unstable. Collective.
std::optional<Job> job_of(Command command, const Invocation& call);

/// The request in a result file, no checkpoint, that can be made again, with the keys that were
/// derived in it as they are there. Warns on stderr where the file has no seal. Throws UserError.
/// Collective.
BoundRequest request_in(const Invocation& call, const std::string& file);

/// Writes a text, on the root alone; what is for stderr by base::say. Local.
void print(const parallel::Communicator& comm, const std::string& text, std::FILE* to = stdout);

}  // namespace masing::cli
