#pragma once

#include <string>
#include <vector>

#include "cli/configuration.hpp"

namespace masing::cli {

/// The levels of a study, coarse to fine, with what is held fixed filled in; a ladder for the
/// papers' case where none is given. Throws UserError.
std::vector<study::Level> study_levels(const Configuration& configuration);

/// The text that study_levels reads back as `levels`.
std::string level_text(study::Refine refine, const std::vector<study::Level>& levels);

/// The word of --expect-order for no expectation.
inline constexpr const char* no_order = "none";

/// The orders that "x=1,y=1,u>=0.5", "1" or no_order expects. Throws UserError.
std::vector<study::ExpectedOrder> expected_orders(const std::string& text);

}  // namespace masing::cli
