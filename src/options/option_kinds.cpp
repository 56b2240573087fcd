#include "options/option_kinds.hpp"

namespace options {

std::string quoted(const std::string& text) {
  return "'" + text.substr(0, 60) + "'";
}

double number(const std::string& text) {
  if (const auto value = base::to_number(text)) {
    return *value;
  }
  throw base::UserError(quoted(text) +
                        " is not a number; give a finite number such as 1.5 or 2e-3");
}

std::int64_t integer(const std::string& text) {
  if (const auto value = base::to_integer(text)) {
    return *value;
  }
  throw base::UserError(quoted(text) + " is not a whole number; give one such as 1000000 or 1e6");
}

Option key(std::string name, std::string argument, std::string help, Get get, Set set) {
  return {.name = std::move(name),
          .argument = std::move(argument),
          .help = std::move(help),
          .role = Role::result,
          .commands = {Command::simulate, Command::converge},
          .families = {Family::slab, Family::quasistatic_slab, Family::finite},
          .parameter = {},
          .get = std::move(get),
          .set = std::move(set)};
}

Option text(std::string name, std::string argument, std::string help,
            std::string Configuration::*member) {
  return key(
      std::move(name), std::move(argument), std::move(help),
      [member](const Configuration& c) { return c.*member; },
      [member](Configuration& c, const std::string& value) { c.*member = value; });
}

Option real(std::string name, std::string argument, std::string help,
            double Configuration::*member) {
  return key(
      std::move(name), std::move(argument), std::move(help),
      [member](const Configuration& c) { return base::to_text(c.*member); },
      [member](Configuration& c, const std::string& value) { c.*member = number(value); });
}

Option count(std::string name, std::string argument, std::string help,
             std::int64_t Configuration::*member) {
  return key(
      std::move(name), std::move(argument), std::move(help),
      [member](const Configuration& c) { return base::to_text(c.*member); },
      [member](Configuration& c, const std::string& value) { c.*member = integer(value); });
}

Option count(std::string name, std::string argument, std::string help,
             std::optional<std::int64_t> Configuration::*member) {
  return key(
      std::move(name), std::move(argument), std::move(help),
      [member](const Configuration& c) { return c.*member ? base::to_text(*(c.*member)) : ""; },
      [member](Configuration& c, const std::string& value) { c.*member = integer(value); });
}

Option time(std::string name, std::string help, std::optional<double> Configuration::*member) {
  return key(
      std::move(name), "t", std::move(help),
      [member](const Configuration& c) { return c.*member ? base::to_text(*(c.*member)) : ""; },
      [member](Configuration& c, const std::string& value) { c.*member = number(value); });
}

Option toggle(std::string name, std::string help, bool Configuration::*member) {
  return key(
      std::move(name), "", std::move(help),
      [member](const Configuration& c) { return c.*member ? "true" : "false"; },
      [member](Configuration& c, const std::string& value) {
        if (value != "true" && value != "false") {
          throw base::UserError(quoted(value) + " is not a switch; give true or false");
        }
        c.*member = value == "true";
      });
}

Option only(Command command, Option option) {
  option.commands = {command};
  return option;
}

Option for_models(std::vector<Family> families, Option option) {
  option.families = std::move(families);
  return option;
}

Option also_parameter(std::string parameter, Option option) {
  option.parameter = std::move(parameter);
  return option;
}

Option handling(Option option) {
  option.role = Role::handling;
  return option;
}

}  // namespace options
