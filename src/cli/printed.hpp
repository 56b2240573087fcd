#pragma once

#include <string>
#include <vector>

#include "cli/spec.hpp"

// These functions return requests as text: the printed .ini, and texts by which requests are
// compared.

namespace masing::cli {

/// Returns a request as the text of an .ini. The text has the keys in sections and those options of
/// the command and the model whose role is `last` or is listed before `last` in Role. If `last` is
/// Role::execution, parsing the text gives the same request again. Local.
std::string printed(const Request& request, Role last = Role::execution);

/// Returns the keys of the printed .ini that the user did not give and whose values follow from
/// other keys, joined by commas: "force,to". Local.
std::string derived_keys(const Request& request);

/// Returns the line that a command prints at its start: the model, the scheme and the engine, and
/// for simulate N and P, as far as the model has them. Local.
std::string announcement(const Request& request);

/// A key whose values in two requests differ. Constants in the values are replaced by numbers,
/// but not for scans. The value is "none" in a request that does not have the key.
struct Difference {
  std::string key;
  std::string one;
  std::string other;
};

/// Returns the differences of two requests that change the result. Compares the options whose role
/// is Role::problem or Role::result, and the parameters of the model. For scans, also compares the
/// axes and the constants. Local.
std::vector<Difference> differences(const Request& one, const Request& other);

/// Returns the data of the problem as "key=value;…". Requests of one problem give the same text if
/// their expressions are written alike. Some options that the papers do not have are left out if
/// they have no effect: damping and base-acceleration if they are 0, and threshold-down if it is
/// not given. Therefore, the text is still equal to that in files that were written before these
/// options existed. Local.
std::string problem_text(const Request& request);

}  // namespace masing::cli
