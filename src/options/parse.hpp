#pragma once

#include <string>
#include <vector>

#include "options/configuration.hpp"
#include "options/function.hpp"

namespace options {

/// The configuration that the words after `masing COMMAND` and the .ini they name describe: the
/// words win over the .ini, the .ini over the defaults. Not yet validated. Throws UserError for
/// unknown or repeated keys, missing values, and texts that are not of their type. Local if `read`
/// is.
Request parse(Command command, const std::vector<std::string>& words, const FileReader& read);

/// The help of a command: its keys with their defaults.
std::string help(Command command);

/// "simulate" or "converge".
std::string name_of(Command command);

}  // namespace options
