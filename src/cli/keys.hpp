#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/configuration.hpp"

// The kinds of keys that the table is made of, and what narrows one down. A key is of every command
// and of every model, and decides the data of a result file, unless it is narrowed.

namespace masing::cli {

/// Whether a key decides the data of a result file, and so belongs to its /configuration.
enum class Role { result, handling };

/// One key: the same on the command line (--name) and in an .ini (name = …).
struct Option {
  std::string name;
  std::string argument;  ///< how the help names its value; empty for a switch
  std::string help;
  Role role = Role::result;
  std::vector<Command> commands;  ///< the commands that take it
  std::vector<ModelKind> kinds;   ///< the models that take it
  std::string parameter;  ///< the parameter that it gives to ModelKind::finite, if it is one there
  bool is_numeric = false;  ///< whether it is a number or a list of them, also as expressions
  std::function<std::string(const Configuration&)> get;
  /// Throws UserError that says what is wrong with the text and what would be right.
  std::function<void(Configuration&, const std::string&)> set;
};

/// Every key, in the order of the help and of the printed configuration.
const std::vector<Option>& option_table();

/// The keys that `command` takes, of any model.
std::vector<const Option*> options_of(Command command);

/// Whether a model of `kind` takes the option as such. Local.
bool takes(ModelKind kind, const Option& option);

/// A text as a message names it, in quotes and not longer than a line.
std::string quoted(const std::string& text);

using Get = std::function<std::string(const Configuration&)>;
using Set = std::function<void(Configuration&, const std::string&)>;

/// A key with a reading of its own.
Option key(std::string name, std::string argument, std::string help, Get get, Set set);

/// A text.
Option text(std::string name, std::string argument, std::string help,
            std::string Configuration::*member);

/// A number.
Option real(std::string name, std::string argument, std::string help,
            double Configuration::*member);

/// A whole number.
Option count(std::string name, std::string argument, std::string help,
             std::int64_t Configuration::*member);

/// A whole number that has a value only once it is given or resolved.
Option count(std::string name, std::string argument, std::string help,
             std::optional<std::int64_t> Configuration::*member);

/// A time that has a value only once it is given or resolved.
Option time(std::string name, std::string help, std::optional<double> Configuration::*member);

/// A switch: given without a value on the command line, true or false in an .ini.
Option toggle(std::string name, std::string help, bool& (*member)(Configuration&));

/// The word for one of the values of a choice.
template <typename Value>
struct Name {
  Value value;
  const char* text;
};

/// The words of a choice, "a|b|c".
template <typename Value, std::size_t Count>
std::string words_of(const Name<Value> (&names)[Count]) {
  std::vector<std::string> words;
  for (const auto& entry : names) {
    words.emplace_back(entry.text);
  }
  return base::joined(words, "|");
}

/// The value that a word of a choice is for. Throws UserError.
template <typename Value, std::size_t Count>
Value chosen(const Name<Value> (&names)[Count], const std::string& word) {
  const auto* found = std::ranges::find(names, word, &Name<Value>::text);
  if (found == std::end(names)) {
    throw base::UserError(quoted(word) + " is not known here; give " + words_of(names));
  }
  return found->value;
}

/// The word for a value of a choice.
template <typename Value, std::size_t Count>
std::string word_for(const Name<Value> (&names)[Count], Value value) {
  return std::ranges::find(names, value, &Name<Value>::value)->text;
}

/// One of a few words; `names` must outlive the key.
template <typename Value, std::size_t Count>
Option choice(std::string name, std::string help, Value Configuration::*member,
              const Name<Value> (&names)[Count]) {
  return key(
      std::move(name), words_of(names), std::move(help),
      [member, &names](const Configuration& c) { return word_for(names, c.*member); },
      [member, &names](Configuration& c, const std::string& word) {
        c.*member = chosen(names, word);
      });
}

/// The same that has a value only once it is given or resolved.
template <typename Value, std::size_t Count>
Option choice(std::string name, std::string help, std::optional<Value> Configuration::*member,
              const Name<Value> (&names)[Count]) {
  return key(
      std::move(name), words_of(names), std::move(help),
      [member, &names](const Configuration& c) {
        return c.*member ? word_for(names, *(c.*member)) : "";
      },
      [member, &names](Configuration& c, const std::string& word) {
        c.*member = chosen(names, word);
      });
}

/// A number, or a list of them, that may be given as expressions.
Option numeric(Option option);

/// Of this command only.
Option only(Command command, Option option);

/// Of all commands but this one.
Option not_of(Command command, Option option);

/// Of the models of these kinds only.
Option for_models(std::vector<ModelKind> kinds, Option option);

/// A key of slabs that gives the other models a parameter.
Option also_parameter(std::string parameter, Option option);

/// How a run is handled: no part of what it computes.
Option handling(Option option);

}  // namespace masing::cli
