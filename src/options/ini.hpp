#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace options {

/// One line "key = value" of an .ini.
struct Assignment {
  std::string key;   ///< "section.key" below a [section]
  std::string text;  ///< the value, trimmed
  std::int64_t line = 0;
};

/// The assignments of an .ini, in order; `path` names it in messages. # begins a comment, a byte
/// order mark is skipped. Throws UserError where a line is none. Local.
std::vector<Assignment> ini_assignments(const std::string& path, const std::string& content);

}  // namespace options
