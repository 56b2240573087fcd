#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/validate.hpp"

// Options of masing converge only: levels, expected orders, the reference.

namespace masing::cli {

/// The request in a result file of masing simulate. Without it a reference that is a file has a
/// name only.
using FileRequest = std::function<Validated(const std::string& file)>;

/// The levels of a study, coarse to fine, with what is held fixed filled in; a ladder for the
/// papers' case where none is given. Throws UserError. Local.
std::vector<study::Level> study_levels(const Configuration& configuration);

/// The text that study_levels reads back as `levels`.
std::string level_text(study::Refine refine, const std::vector<study::Level>& levels);

/// The orders that "x=1,y=1,u>=0.5", "1" or "none" expects. Throws UserError.
std::vector<study::ExpectedOrder> expected_orders(const std::string& text);

/// Adds to a request what a study needs: levels, reference, expected orders. Throws UserError.
/// Local if `of_file` is.
void resolve_study(Validated& request, const FileRequest& of_file);

}  // namespace masing::cli
