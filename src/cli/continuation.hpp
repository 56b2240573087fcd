#pragma once

#include <string>

#include "cli/configuration.hpp"

namespace masing::cli {

/// `now`, a validated configuration, as one that goes on with a run whose printed_result_keys were
/// `before`: what the user leaves open stays as it was. A trajectory may be extended to a later T
/// with the same step. Throws UserError that names the keys that differ otherwise. Local.
Configuration continued(Configuration now, const std::string& before);

}  // namespace masing::cli
