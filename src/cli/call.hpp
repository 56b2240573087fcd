#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/spec.hpp"
#include "io/result_reader.hpp"
#include "parallel/communicator.hpp"

// These functions turn the words of a call of the program into the spec of what is computed.

namespace masing::cli {

/// A call of the program, `masing COMMAND WORDS`.
struct Invocation {
  std::vector<std::string> words;      ///< the words after the command, without those for PETSc
  std::string command_line;            ///< the whole command line as typed, stored in /provenance
  const parallel::Communicator& comm;  ///< the ranks of the call; must outlive this object
  /// tables in memory, which options name in place of files
  base::Tables tables = {};
};

/// What a call of masing simulate, converge or scan computes. While the object exists, the message
/// of a UserError about a quantity begins with the place where the user gave this quantity.
struct Job {
  Spec spec;
  Values values;  ///< of a scan, those at its first point without a fault
  std::unique_ptr<base::GivenAt> places;
  bool only_validates = false;  ///< whether the job is only validated, not computed
};

/// Parses a call and returns its job. With --print-config, prints the configuration and returns
/// nothing. With --restart, the request is completed from the checkpoint
/// by continued(). If neither --print-config nor --validate-only is given, prints warnings about
/// the request on stderr, for example that an elastic oscillation grows more than tenfold with the
/// step of the run. Then also starts the timer of --wall-limit, which stops the run. Throws
/// UserError if the words or the files that they name are not valid, or if the scheme is unstable
/// with this step. Collective.
std::optional<Job> job_of(Command command, const Invocation& call);

/// Checks that a result file is not damaged, and throws UserError if it is. Prints a warning if the
/// file has no seal, without which damage may go unnoticed. Collective.
void require_undamaged(const parallel::Communicator& comm, const std::string& file);

/// Reads the recipe of a result file or a checkpoint on each rank. The recipe consists of the
/// command, the configuration, and the keys of the configuration that were derived from others.
/// Throws UserError if the file cannot be read or is not a file of masing. Collective.
io::Recipe recipe_in(const parallel::Communicator& comm, const std::string& file);

/// Prints a text to `to` on the root; does nothing on other ranks. A text for stderr is passed to
/// base::say, so that the Python module can receive it. Local.
void print(const parallel::Communicator& comm, const std::string& text, std::FILE* to = stdout);

/// Prints a warning on stderr, on the root only. The warning begins with "masing warning: ",
/// because a line that begins with "masing: " reports a failure. Local.
void warn(const parallel::Communicator& comm, const std::string& text);

}  // namespace masing::cli
