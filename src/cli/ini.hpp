#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/keys.hpp"

// Configurations as text: read from an .ini, printed as one, and compared.

namespace masing::cli {

/// One line "key = value" of an .ini.
struct Assignment {
  std::string key;   ///< "section.key" below a [section]
  std::string text;  ///< the value, trimmed
  std::int64_t line = 0;
};

/// The assignments of an .ini, in order; `path` names it in messages. # begins a comment, a byte
/// order mark is skipped. Throws UserError where a line is not an assignment. Local.
std::vector<Assignment> ini_assignments(const std::string& path, const std::string& content);

/// The comment at the start of an .ini, without # and without the line that `printed` begins with.
/// Local.
std::string leading_comment(const std::string& content);

/// The .ini of a resolved configuration, every key of its command, which reads back as the same
/// configuration. Local.
std::string printed(const Configuration& configuration);

/// The .ini of the keys that decide the data of a result file, and no others, so that the same
/// data carry the same text. Local.
std::string printed_result_keys(const Configuration& configuration);

/// `now`, a validated configuration, as one that goes on with a run whose printed_result_keys were
/// `before`: what the user leaves open stays as it was. A trajectory may be extended to a later T
/// with the same step. Throws UserError that names the keys that differ otherwise. Local.
Configuration continued(Configuration now, const std::string& before);

/// The data of the problem, keys and values, in the order of the keys: equal of two configurations
/// of the same problem. Local.
std::vector<std::pair<std::string, std::string>> problem_data(const Configuration& configuration);

/// The same as "key=value;…", without what the papers do not have where it is not there. Local.
std::string problem_text(const Configuration& configuration);

}  // namespace masing::cli
