#pragma once

#include "options/configuration.hpp"
#include "options/function.hpp"

namespace options {

/// The configuration with every default resolved and tables replaced by their points. Throws
/// UserError for the first value outside its range, the first bad expression, level or expected
/// order; what only a cell can show (k, η > 0, |u0| ≤ η) is masing::check_profile's. Local if
/// `read` is.
Configuration validated(Configuration configuration, const FileReader& read);

}  // namespace options
