#pragma once

#include <optional>

#include "cli/validate.hpp"
#include "commands/commands.hpp"

namespace masing::commands {

/// The request of masing simulate or converge that was made with `call`.
struct Request {
  cli::Validated validated;
  bool print_config = false;
  bool validate_only = false;
};

/// The validated request of a command; nothing where it was for a text, which is then printed.
/// Warns on stderr where `euler` lets an elastic oscillation grow more than tenfold. Throws
/// UserError, also where `leapfrog` is unstable. Without MPI.
std::optional<Request> requested(cli::Command command, const Invocation& call);

/// What is in a result file that can be made again: the command it is of and its request.
struct Made {
  std::string kind;
  cli::Validated request;
};

/// The request in a result file of masing simulate or converge; `look` is called with its name in
/// the process that reads it. Warns on stderr where the file has no seal. Throws UserError. Without
/// MPI.
Made made_by(const Invocation& call, const std::string& file,
             const std::function<void(const std::string&)>& look = {});

/// cli::take_reference where the reference of a request is a file, which is returned. Throws
/// UserError. Without MPI.
std::optional<std::string> look_at_reference(const Invocation& call, cli::Validated& request);

/// The request as it is to be run: continued from its checkpoint, if it has one, and stopped at its
/// wall limit. Nothing where it was only to be printed or validated, which is then done, every cell
/// looked at. Throws UserError alike on all ranks. Collective.
std::optional<cli::Validated> ready(const parallel::Communicator& comm, const Request& request);

}  // namespace masing::commands
