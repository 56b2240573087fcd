#pragma once

#include <string>
#include <vector>

#include "cli/spec.hpp"

// Requests as text: printed as an .ini, and compared.

namespace masing::cli {

/// The .ini of a request: every key of its command that decides as much as `last`; of all keys it
/// reads back as the same. Local.
std::string printed(const Validated& request, Role last = Role::execution);

/// Two lines for people: "masing COMMAND: ", the equation and what is given of its data, and
/// "  by default " with what is not. Local.
std::string told(const Validated& request);

/// A request as one that goes on with a run of the request `before`: what the user leaves open
/// stays as it was. A trajectory may be extended to a later T with the same step. Throws UserError
/// that names the keys that differ otherwise. Local.
Validated continued(Validated request, const Validated& before);

/// A key and its values in two requests, constants replaced by theirs; "none" where it has none.
struct Difference {
  std::string key;
  std::string one;
  std::string other;
};

/// What differs between two requests in the options that decide as much as `last`. Local.
std::vector<Difference> differences(const Validated& one, const Validated& other, Role last);

/// The data of the problem as "key=value;…", equal of two requests of the same problem. Terms that
/// the papers lack (damping, base acceleration, threshold-down) are left out where they are zero,
/// so that old files compare equal. Local.
std::string problem_text(const Validated& request);

}  // namespace masing::cli
