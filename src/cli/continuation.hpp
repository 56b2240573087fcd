#pragma once

#include <string>

#include "cli/configuration.hpp"

namespace masing::cli {

/// FILE of the checkpoints of a configuration: the one given, else beside the output. Local.
std::string checkpoint_of(const Configuration& configuration);

/// What a run that was stopped says of its checkpoint: "; the same command with … goes on". Local.
std::string how_to_go_on(const Configuration& configuration);

/// `now`, a validated configuration, as one that goes on with a run whose printed_result_keys were
/// `before`: what the user leaves open stays as it was. A trajectory may be extended to a later T
/// with the same step. Throws UserError that names the keys that differ otherwise. Local.
Configuration continued(Configuration now, const std::string& before);

}  // namespace masing::cli
