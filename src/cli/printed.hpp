#pragma once

#include <string>
#include <vector>

#include "cli/spec.hpp"

// Requests as text: printed as an .ini, and compared.

namespace masing::cli {

/// The .ini of a request, every key of its command, which reads back as the same. Local.
std::string printed(const Validated& request);

/// The .ini of the keys that decide the data of a result file, and no others, so that the same
/// data carry the same text. Local.
std::string printed_result_keys(const Validated& request);

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

/// The data of the problem as "key=value;…", without what the papers do not have where it is not
/// there: equal of two requests of the same problem. Local.
std::string problem_text(const Validated& request);

}  // namespace masing::cli
