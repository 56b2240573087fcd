#include "cli/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"

namespace masing::cli {

namespace po = boost::program_options;
using base::UserError;

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// An option that may be repeated, NAME=VALUE, and the section whose lines say the same in an .ini;
/// the section stands before NAME in Given::key, however given.
struct Repeated {
  std::string_view key;
  std::string_view section;
  const char* argument;
  const char* help;
  bool of_scans_only = false;

  [[nodiscard]] bool is_of(Command command) const {
    return command == Command::scan || !of_scans_only;
  }
};
const std::array repeated{
    Repeated{"set", "model.", "PARAMETER=VALUE",
             "a parameter of another model than masing, as a number, a list \"0.5,0.9\" or an "
             "expression in i and n; once for each"},
    Repeated{"let", "let.", "NAME=VALUE",
             "a constant for every expression and every number, itself a number or an expression; "
             "once for each"},
    Repeated{"over", "over.", "NAME=VALUES",
             "what to scan, a constant or a numeric key: \"w=0.3:1.75:30\", with :log behind it in "
             "a geometric sequence, or \"w=0.4,0.7,1\"; once for each, the last varies fastest",
             true}};

/// What a key is one of, null for other keys.
const Repeated* repeated_of(const std::string& key) {
  const auto found =
      std::ranges::find_if(repeated, [&](const Repeated& r) { return key.starts_with(r.section); });
  return found == repeated.end() ? nullptr : &*found;
}

bool is_repeated(Command command, const std::string& key) {
  const Repeated* one = repeated_of(key);
  return one != nullptr && one->is_of(command);
}

po::options_description declared(Command command) {
  po::options_description description("Options", 100, 50);
  for (const Option& option : option_table()) {
    if (!option.is_of(command)) {
      continue;
    }
    const bool is_switch = option.argument.empty();
    const std::string help =
        option.help + (option.preset.empty() || is_switch ? "" : " [" + option.preset + "]");
    const auto type = is_switch ? po::value<std::string>()->implicit_value("true")->zero_tokens()
                                : po::value<std::string>()->value_name(option.argument);
    description.add_options()(option.name.c_str(), type, help.c_str());
    if (option.name == "model") {
      for (const Repeated& one : repeated) {
        if (one.is_of(command)) {
          description.add_options()(one.key.data(),
                                    po::value<std::string>()->value_name(one.argument), one.help);
        }
      }
    }
  }
  return description;
}

po::options_description declared_requests() {
  po::options_description description("About the run", 100, 50);
  auto add = description.add_options();
  add("config", po::value<std::string>()->value_name("FILE.ini"),
      "the same keys, one 'key = value' a line; the command line wins");
  add("print-config", "print the resolved configuration as an .ini and stop");
  add("validate-only", "check the configuration, every cell of it, and stop");
  add("petsc", "all words after it go to PETSc (-log_view, ...)");
  add("help", "this text");
  return description;
}

/// What is wrong with a key that `command` does not take, with the one that it has the most first
/// letters in common with, three at least.
std::string unknown(Command command, const std::string& key) {
  if (const Option* option = find_option(key)) {
    return "is a key of masing " + name_of(option->commands.front()) + " only";
  }
  std::ptrdiff_t most = 2;
  std::string advice = "; masing " + name_of(command) + " --help lists the keys";
  for (const Option& option : option_table()) {
    const auto common = std::ranges::mismatch(option.name, key).in1 - option.name.begin();
    if (option.is_of(command) && common > most) {
      most = common;
      advice = "; did you mean " + option.name + "?";
    }
  }
  return "is not a key" + advice;
}

/// "--set k=2" as the line "k = 2" below [model] would be.
void unfold(const Repeated& one, Given& given) {
  const auto sign = given.text.find('=');
  const std::string name{base::trimmed(given.text.substr(0, sign))};
  const std::string option = "--" + std::string(one.key);
  if (sign == std::string::npos || name.empty()) {
    throw UserError(option + ": '" + given.text + "' sets nothing; give " + option + " " +
                    one.argument);
  }
  given = {std::string(one.section) + name, given.text.substr(sign + 1), option + " " + name};
}

std::vector<Given> parsed_words(Command command, const std::vector<std::string>& words) {
  po::options_description all;
  all.add(declared(command)).add(declared_requests());
  namespace style = po::command_line_style;
  const auto parsed =
      po::command_line_parser(words)
          .options(all)
          .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
          .run();
  std::vector<Given> given;
  for (const auto& option : parsed.options) {
    if (option.string_key.empty() || option.position_key >= 0) {
      const std::string word = option.value.empty() ? "" : option.value.front();
      throw UserError("unexpected word '" + word + "'" +
                      (word.ends_with(".ini") ? "; give --config " + word
                                              : "; options start with --, values follow them"));
    }
    // Boost would take the next option for the value: a result file called "--quiet".
    const bool next_word = option.original_tokens.size() > 1;
    if (next_word && !option.value.empty() && option.value.front().starts_with("--")) {
      throw UserError("--" + option.string_key + ": no value before " + option.value.front() +
                      "; give --" + option.string_key + "=VALUE");
    }
    given.push_back({option.string_key, option.value.empty() ? "true" : option.value.front(),
                     "--" + option.string_key});
    const auto one = std::ranges::find(repeated, given.back().key, &Repeated::key);
    if (one != repeated.end()) {
      unfold(*one, given.back());
    }
  }
  return given;
}

}  // namespace

std::vector<Given> from_words(Command command, const std::vector<std::string>& words) {
  try {
    return parsed_words(command, words);
  } catch (const po::unknown_option& error) {
    std::string key = error.get_option_name();
    key.erase(0, key.find_first_not_of('-'));
    throw UserError("--" + key + ": " + key + " " + unknown(command, key));
  } catch (const po::error& error) {
    throw UserError(std::string(error.what()) + "; masing " + name_of(command) +
                    " --help lists the options");
  }
}

std::vector<Given> ini_entries(const std::string& path, const std::string& content) {
  std::vector<Given> entries;
  std::string section;
  int number = 0;
  for (std::string line : base::split(content, '\n')) {
    if (++number == 1 && line.starts_with(byte_order_mark)) {
      line.erase(0, byte_order_mark.size());
    }
    const std::string text{base::trimmed(line.substr(0, line.find('#')))};
    const auto sign = text.find('=');
    const std::string key{base::trimmed(text.substr(0, sign))};
    if (text.starts_with('[') && text.ends_with(']')) {
      section = std::string(base::trimmed(text.substr(1, text.size() - 2))) + ".";
    } else if (sign != std::string::npos && !key.empty()) {
      entries.push_back({section + key, std::string(base::trimmed(text.substr(sign + 1))),
                         fmt::format("{} line {}, {}", path, number, section + key)});
    } else if (!text.empty()) {
      throw UserError(fmt::format("{} line {}: {} is no 'key = value' and no [section]", path,
                                  number, in_quotes(text)));
    }
  }
  return entries;
}

std::vector<Given> from_ini(Command command, const std::string& path, const std::string& content) {
  std::vector<Given> given = ini_entries(path, content);
  for (Given& one : given) {
    const Option* option = find_option(one.key);
    if (!(option != nullptr && option->is_of(command)) && !is_repeated(command, one.key)) {
      throw UserError(one.origin + ": " + one.key + " " + unknown(command, one.key));
    }
    if (one.key == "model.name") {
      one.key = "model";  // the name of the model may stand with its parameters
    }
  }
  return given;
}

std::string leading_comment(const std::string& content) {
  std::string comment;
  for (std::string line : base::split(content, '\n')) {
    if (line.starts_with(byte_order_mark)) {
      line.erase(0, byte_order_mark.size());
    }
    if (!line.starts_with('#')) {
      break;
    }
    const std::string words{base::trimmed(line.substr(1))};
    comment += words.starts_with("masing ") ? "" : words + "\n";
  }
  return comment;
}

std::string help(Command command) {
  std::ostringstream text;
  text << "masing " << name_of(command) << ": "
       << (command == Command::simulate ? "one trajectory of a model, written to HDF5"
           : command == Command::converge
               ? "a refinement study: errors, observed orders and a verdict"
               : "one run, or one limit cycle, for each point of a grid")
       << "\n\n"
       << declared(command) << '\n'
       << declared_requests();
  return text.str();
}

}  // namespace masing::cli
