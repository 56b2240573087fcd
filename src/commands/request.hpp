#pragma once

#include <optional>

#include "commands/commands.hpp"
#include "options/configuration.hpp"

namespace commands {

/// The validated configuration of a command, the same on every rank (the root reads the files);
/// nothing where the request was only for help, for the configuration's text or for its validation,
/// which are then done. Throws UserError alike on all ranks. Collective.
std::optional<options::Configuration> requested(const parallel::Communicator& comm,
                                                options::Command command,
                                                const Arguments& arguments);

}  // namespace commands
