#pragma once

#include <string>
#include <vector>

#include "base/function.hpp"
#include "cli/configuration.hpp"

namespace masing::cli {

/// The levels of a study, coarse to fine, with what is held fixed filled in; a ladder for the
/// papers' case where none is given. Throws UserError.
std::vector<Level> study_levels(const Configuration& configuration);

/// The text that study_levels reads back as `levels`.
std::string level_text(Refine refine, const std::vector<Level>& levels);

/// The orders that "x=1,y=1,u>=0.5" or "1" expects. Throws UserError.
std::vector<ExpectedOrder> expected_orders(const std::string& text);

/// The configuration with every default resolved and tables replaced by their points. Throws
/// UserError for the first value outside its range, the first bad expression, level or expected
/// order; what only a cell can show (k, η > 0, |u0| ≤ η) is slab::check_profile's. Local if
/// `read` is.
Configuration validated(Configuration configuration, const base::FileReader& read);

/// A function of a validated configuration, which holds its tables as points: no file is read.
/// Throws UserError as base::Function does. Local.
base::Function resolved_function(const std::string& text, char variable);

/// What drives a validated configuration: x(t) where it prescribes one, else F(t). Local.
base::Function driving_function(const Configuration& configuration);

}  // namespace masing::cli
