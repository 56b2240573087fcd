#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rheology/model_info.hpp"

namespace boost::program_options {
class options_description;
}

// This header describes all options of the program. The table in options.cpp has one row for each:
// its name, its help, its default, and what its text must be. Values (values.hpp) reads the texts.

namespace masing::cli {

/// The commands that take options. The first three compute a result that an .ini describes.
enum class Command { simulate, converge, scan, reproduce, benchmark };

/// Returns whether an .ini can describe what the command computes. Local.
constexpr bool has_configuration(Command command) {
  return command <= Command::scan;
}
/// Returns "simulate", "converge", "scan", "reproduce" or "benchmark". Local.
std::string name_of(Command command);
/// Returns the command of this name, or nothing if there is no such command. Local.
std::optional<Command> command_of(const std::string& name);

/// The families of models, which differ in the options that they take. `slab` is the continuous
/// Masing model with a mass. `quasistatic` is the continuous model without a mass, driven by its
/// position or by a force. `chain` is a chain of continuous models with masses: it has options of a
/// slab and parameters (--set). `finite` stands for all other models: they have finitely many
/// elements, and parameters in place of the options of a slab.
enum class Family : unsigned { slab = 1, quasistatic = 2, chain = 4, finite = 8 };
/// The set of all families, and that of the first three commands, as Option joins them by |.
constexpr unsigned any_family = 15;
constexpr unsigned with_configuration = 7;

/// Returns whether the models of a family have parameters, which --set gives. Local.
constexpr bool has_parameters(Family family) {
  return family == Family::chain || family == Family::finite;
}
/// Returns the family of the model of this name; `finite` if the name is unknown. Local.
Family family_of(const std::string& model);

/// What an option changes, from the largest effect to the smallest. `problem` options define the
/// problem to be solved. `result` options change the data in the result file, but not the problem.
/// Options of these two roles are stored in /configuration. `execution` options change no number in
/// the file except durations. `call` options occur on the command line only, but --set, --let,
/// --table and --over NAME=VALUE correspond to a line NAME = VALUE in a section of an .ini.
enum class Role { problem, result, execution, call };

/// What the text of an option must be. `cells` is a count or inf. `levels` is a list of levels (a
/// count or "P:N") and of ladders ("first:last:count"). `of_s` and `of_t` are functions of s and of
/// t. `field` is the function u0(s), which may also be a field in a result file. `time` is a number
/// of seconds or h:m:s. `pair` is NAME=VALUE, the key NAME of a section of an .ini.
enum class Kind {
  word,
  flag,
  choice,
  real,
  count,
  cells,
  list,
  levels,
  of_s,
  of_t,
  field,
  time,
  pair
};

/// One option. It has the same name on the command line (--name) and, unless its role is `call`, as
/// a key of an .ini (name = …).
struct Option {
  const char* name = "";
  const char* caption = "";  ///< the group of the option in the help
  Role role = Role::call;
  Kind kind = Kind::word;
  /// what the help calls the value, or the words of a choice: "right|midpoint"; empty for a flag
  const char* argument = "";
  /// the default; empty if the option has none, or one that follows from other options
  std::string preset = {};
  const char* help = "";  ///< one sentence
  /// the range of a number; a count is at least 1 if it must be positive, and otherwise at least 0
  rheology::Range range = rheology::Range::any;
  unsigned families = any_family;          ///< the models that take the option, joined by |
  unsigned commands = with_configuration;  ///< the commands that take it, a bit for each
  const char* parameter = "";  ///< the parameter of a model that the option also sets: "m" for mass
  const char* section = "";    ///< of Kind::pair: the prefix of the keys that it sets, "let."

  [[nodiscard]] bool is_of(Command command) const {
    return ((commands >> static_cast<unsigned>(command)) & 1U) != 0;
  }
  [[nodiscard]] bool is_of(Family family) const {
    return (families & static_cast<unsigned>(family)) != 0;
  }
  [[nodiscard]] bool is_key() const { return role != Role::call; }
  /// Returns whether the text consists of one or several numbers.
  [[nodiscard]] bool is_numeric() const { return is_number() || is_list(); }
  [[nodiscard]] bool is_number() const {
    return kind == Kind::real || kind == Kind::count || kind == Kind::cells;
  }
  [[nodiscard]] bool is_list() const { return kind == Kind::list || kind == Kind::levels; }
  [[nodiscard]] bool is_function() const {
    return kind == Kind::of_s || kind == Kind::of_t || kind == Kind::field;
  }
  /// Returns the words of a choice or of a flag (false, true), in the order of the enumerators.
  [[nodiscard]] std::vector<std::string> words() const;
};

/// Returns every option, in the order of the help and of the printed configuration. Local.
std::span<const Option> options();

/// Returns the option of this name that the command takes. If the command takes none of this name,
/// returns that of another command, or null if there is none. Local.
const Option* find_option(const std::string& name, Command command = Command::simulate);

/// Returns the options of a command for Program_options, one group for each caption; if `are_keys`
/// is true, the keys of its .ini, among them "let.*" for all keys in a section. Local.
boost::program_options::options_description describe(Command command, bool are_keys = false);

/// Returns the help of the options of a command with their defaults, in lines of at most 80
/// columns. Local.
std::string help(Command command);

}  // namespace masing::cli
