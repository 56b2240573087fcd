#pragma once

#include "cli/number.hpp"

namespace masing::cli {

/// Returns whether `entry`, which stands in the configuration of a result file, is a key that an
/// earlier version of the program had, and whose value is the default of that version. Such an
/// entry changed nothing in the file, so it can be skipped. Throws UserError if the key is gone and
/// has another value, because the file cannot be made again without it. Local.
bool is_gone(const Setting& entry);

}  // namespace masing::cli
