#include "options/print.hpp"

#include "options/option_table.hpp"
#include "options/parse.hpp"

namespace options {

namespace {

std::string print(const Configuration& configuration, bool handling_too) {
  std::string text = "# masing " + name_of(configuration.command) + "\n";
  const Family family = family_of(configuration.model);
  for (const Option* option : options_of(configuration.command)) {
    if (takes(family, *option) && (handling_too || option->role == Role::result)) {
      text += option->name + " = " + option->get(configuration) + "\n";
    }
  }
  text += configuration.settings.empty() ? "" : "\n[model]\n";
  for (const Setting& setting : configuration.settings) {
    text.append(setting.parameter).append(" = ").append(setting.text).append("\n");
  }
  return text;
}

}  // namespace

std::string printed(const Configuration& configuration) {
  return print(configuration, true);
}

std::string printed_result_keys(const Configuration& configuration) {
  return print(configuration, false);
}

}  // namespace options
