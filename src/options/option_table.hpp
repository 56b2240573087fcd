#pragma once

#include <functional>
#include <string>
#include <vector>

#include "options/configuration.hpp"

namespace options {

/// Whether a key decides the data of a result file, and so belongs to its /configuration.
enum class Role { result, handling };

/// One key: the same on the command line (--name) and in an .ini (name = …).
struct Option {
  std::string name;
  std::string argument;  ///< how the help names its value; empty for a switch
  std::string help;
  Role role = Role::result;
  std::vector<Command> commands;  ///< the commands that take it
  std::vector<Family> families;   ///< the models that take it
  std::string parameter;  ///< the parameter that it gives to Family::finite, if it is one there
  std::function<std::string(const Configuration&)> get;
  /// Throws UserError that says what is wrong with the text and what would be right.
  std::function<void(Configuration&, const std::string&)> set;
};

/// Every key, in the order of the help and of the printed configuration.
const std::vector<Option>& option_table();

/// The keys that `command` takes, of any model.
std::vector<const Option*> options_of(Command command);

/// Whether a model of `family` takes the option as such. Local.
bool takes(Family family, const Option& option);

}  // namespace options
