#pragma once

#include <optional>

#include "cli/configuration.hpp"
#include "commands/commands.hpp"
#include "parallel/communicator.hpp"

namespace masing::commands {

/// Whether warnings are said.
enum class Speech { silent, loud };

/// Throws UserError alike on all ranks where `leapfrog` is unstable at a level's step, and says on
/// stderr where `euler` lets an elastic oscillation grow more than tenfold. Collective.
void advise_on_step(const parallel::Communicator& comm, const cli::Configuration& configuration,
                    Speech speech);

/// The validated configuration of a command, the same on every rank (the root reads the files);
/// nothing where the request was only for help, for the configuration's text or for its validation,
/// which are then done. Throws UserError alike on all ranks. Collective.
std::optional<cli::Configuration> requested(const parallel::Communicator& comm,
                                            cli::Command command, const Arguments& arguments);

}  // namespace masing::commands
