#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/function.hpp"
#include "cli/configuration.hpp"

namespace masing::cli {

/// One line "key = value" of an .ini.
struct Assignment {
  std::string key;   ///< "section.key" below a [section]
  std::string text;  ///< the value, trimmed
  std::int64_t line = 0;
};

/// The assignments of an .ini, in order; `path` names it in messages. # begins a comment, a byte
/// order mark is skipped. Throws UserError where a line is none. Local.
std::vector<Assignment> ini_assignments(const std::string& path, const std::string& content);

/// The configuration that the words after `masing COMMAND` and the .ini they name describe: the
/// words win over the .ini, the .ini over the defaults. Not yet validated. Throws UserError for
/// unknown or repeated keys, missing values, and texts that are not of their type. Local if `read`
/// is.
Request parse(Command command, const std::vector<std::string>& words, const base::FileReader& read);

/// The help of a command: its keys with their defaults.
std::string help(Command command);

/// "simulate", "converge" or "scan".
std::string name_of(Command command);

/// The .ini of a resolved configuration, every key of its command, which reads back as the same
/// configuration. Local.
std::string printed(const Configuration& configuration);

/// The .ini of the keys that decide the data of a result file, and no others, so that the same
/// data carry the same text. Local.
std::string printed_result_keys(const Configuration& configuration);

}  // namespace masing::cli
