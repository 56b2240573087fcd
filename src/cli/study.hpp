#pragma once

#include "cli/spec.hpp"

// Options of masing converge only: levels, expected orders, the reference.

namespace masing::cli {

/// Adds to a request what a study needs: its levels, with a ladder where none is given, its
/// reference, and the orders that "x=1,y=1,u>=0.5", "1" or "none" expects, or else its scheme
/// promises. Throws UserError. Local if `of_file` is.
void resolve_study(Validated& request, const FileRequest& of_file);

}  // namespace masing::cli
