#include "cli/words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/function.hpp"
#include "base/text.hpp"

namespace masing::cli {

using base::UserError;

namespace {

namespace po = boost::program_options;

/// The keys of /configuration that the program no longer has. They had no effect if they were empty
/// or had the value "rest".
const std::set<std::string> gone_keys{"backbone", "looks", "past", "probe", "resolve", "until"};

/// Throws UserError for a word of a call that is neither an option nor the value of one.
[[noreturn]] void refuse_word(const std::string& word) {
  const bool is_config = word.ends_with(".ini") || word.ends_with(".h5");
  throw UserError("unexpected word '" + word + "'; " +
                  (is_config                       ? "give --config " + word
                   : word.ends_with(".checkpoint") ? "give --restart " + word
                                                   : "options start with --, values follow them"));
}

/// Returns the options in the words of a call, in their order, unknown ones among them. Throws
/// UserError if an option lacks its value, or has a value but takes none.
std::vector<po::option> options_in(Command command, const std::vector<std::string>& words) {
  namespace style = po::command_line_style;
  try {
    return po::command_line_parser(words)
        .options(describe(command))
        .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
        .allow_unregistered()
        .run()
        .options;
  } catch (const po::invalid_command_line_syntax& error) {
    const bool has_extra = error.kind() == po::invalid_syntax::extra_parameter;
    const std::string option = error.get_option_name();
    throw UserError(option +
                    (has_extra ? ": takes no value" : ": no value; give " + option + "=VALUE"));
  }
}

/// Returns the entry of an option in the words of a call. The entry of "--set k=2" has the key
/// model.k. Throws UserError if the value is missing or cannot be printed into an .ini.
Entry entry_of(const Option& option, const po::option& given) {
  const std::string place = std::string("--") + option.name;
  const std::vector<std::string>& words = given.original_tokens;
  require(words.size() < 2 || !words[1].starts_with("--"),
          fmt::format("{0}: no value before {1}; give {0}=VALUE", place, words.back()));
  Entry entry{option.name, given.value.empty() ? "true" : given.value.front(), place};
  if (option.kind == Kind::pair) {
    const auto sign = entry.text.find('=');
    const std::string name{base::trimmed(entry.text.substr(0, sign))};
    require(
        sign != std::string::npos && !name.empty(),
        fmt::format("{0}: '{1}' sets nothing; give {0} {2}", place, entry.text, option.argument));
    entry = {option.section + name, entry.text.substr(sign + 1), place + " " + name};
  }
  // A value is later printed into an .ini, where # begins a comment and a value ends with its line.
  require(entry.key == "config" || entry.text.find_first_of("#\n\r") == std::string::npos,
          entry.place + ": a value must be one line without #");
  entry.text = std::string(base::trimmed(entry.text));
  return entry;
}

/// Returns the entries of the words of a call. Adds words that are no options to `positions` if the
/// command takes such words. Throws UserError for unknown words and for missing values.
std::vector<Entry> entries_in(Command command, const std::vector<std::string>& words,
                              std::vector<std::string>& positions) {
  std::vector<Entry> entries;
  if (std::ranges::count(words, "--") > 0) {
    refuse_word("--");  // which Program_options would pass over
  }
  for (const po::option& given : options_in(command, words)) {
    if (given.unregistered) {
      refuse_key(command, "--" + given.string_key, given.string_key);
    }
    if (!given.string_key.empty()) {
      entries.push_back(entry_of(*find_option(given.string_key, command), given));
    } else if (command == Command::reproduce) {
      positions.push_back(given.original_tokens.front());
    } else {
      refuse_word(given.original_tokens.front());
    }
  }
  return entries;
}

/// Returns a line of an .ini without its comment and the blanks at its ends.
std::string uncommented(const std::string& line) {
  return std::string(base::trimmed(line.substr(0, line.find('#'))));
}

/// Returns the options in an .ini, in their order. Throws UserError for a line that is not valid.
std::vector<po::option> options_in(Command command, const IniText& ini,
                                   const std::vector<std::string>& lines) {
  std::istringstream stream(ini.text);
  try {
    return po::parse_config_file(stream, describe(command, true), true).options;
  } catch (const po::invalid_config_file_syntax& error) {
    const auto line = std::ranges::find(lines, error.tokens(), uncommented);
    throw UserError(fmt::format("{} line {}: {} is no 'key = value' and no [section]", ini.place,
                                line - lines.begin() + 1, in_quotes(error.tokens())));
  }
}

/// Returns whether `entry`, which stands in the configuration of a result file, is a key that an
/// earlier version of the program had, and that changed nothing in the file, so that it can be
/// skipped. Throws UserError if the key is gone and had an effect, because the file cannot be made
/// again without it.
bool is_gone(const Entry& entry) {
  const bool is_gone = gone_keys.contains(entry.key);
  // The reference of a study of 2.0 may be a result file.
  const bool is_file = entry.key == "reference" && entry.text.find('.') != std::string::npos;
  require(!is_file && (!is_gone || entry.text.empty() || entry.text == "rest"),
          entry.place + ": gone in 3.0, so that " + in_quotes(entry.text) +
              " cannot be computed again");
  return is_gone;
}

/// Returns the lines of the comment at the start of an .ini, without #. A line that begins with "#
/// masing ", as the first line of every printed .ini does, is left out.
std::vector<std::string> leading_comment(const std::string& content) {
  std::vector<std::string> comment;
  for (const std::string& line : base::split(content, '\n')) {
    if (!line.starts_with('#')) {
      break;
    }
    const std::string words{base::trimmed(line.substr(1))};
    if (!words.starts_with("masing ")) {
      comment.push_back(words);
    }
  }
  return comment;
}

/// Returns whether one of the entries changes what is computed.
bool changes_result(const std::vector<Entry>& entries) {
  return std::ranges::any_of(entries, [](const Entry& entry) {
    const Option* option = find_option(entry.key);
    return option == nullptr || option->role <= Role::result;  // null for a key in a section
  });
}

/// Reads the .ini that --config names in the words `line`, and returns its entries. Stores in
/// `given` what else it contains. Throws UserError if it cannot be read or is not valid.
std::vector<Entry> entries_of_config(const std::vector<Entry>& line, const Files& files,
                                     Given& given) {
  const Entry* config = find(line, "config");
  if (config == nullptr) {
    return {};
  }
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  IniText ini = files.config(config->text);
  ini.text.erase(0, ini.text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  given.is_of_result = ini.is_of_result;
  if (ini.samples && find(line, "samples") == nullptr) {
    given.samples = std::make_shared<const io::Samples>(std::move(*ini.samples));
  }
  if (!changes_result(line)) {
    given.comment = leading_comment(ini.text);
  }
  std::vector<Entry> entries = ini_entries(given.command, ini);
  std::erase_if(entries,
                [&](const Entry& one) { return std::ranges::count(ini.derived, one.key) > 0; });
  return entries;
}

/// Throws UserError if two entries have the same key. If the model has parameters, first renames
/// the entries that give one by the name of an option. For example, the option mass sets the
/// parameter m, so "mass" and "model.mass" become "model.m".
void check_names(std::vector<Entry>& entries, const std::string& model) {
  for (Entry& one : entries) {
    const Option* const option = find_option(one.key.substr(one.key.starts_with("model.") ? 6 : 0));
    if (has_parameters(family_of(model)) && option != nullptr && *option->parameter != 0) {
      one.key = std::string("model.") + option->parameter;
    }
    const Entry* first = find(entries, one.key);
    require(first == &one, one.place + ": given twice" +
                               (first->place == one.place ? "" : ", first by " + first->place) +
                               "; give it once");
  }
}

/// Replaces the text of an entry by its points if it names a table or a field of a result file. A
/// text that names a file for which `files` has no reader is left as it is, and refused later as no
/// function of s or t.
void read_points(Entry& entry, const Option* option, const Files& files) {
  const std::string path{base::trimmed(entry.text.substr(entry.text.find(':') + 1))};
  const bool is_function = option != nullptr && option->is_function();
  if (entry.key.starts_with("table.")) {
    const bool has_points = entry.text.starts_with("points:");
    require(has_points || files.table, in_quotes(entry.text) + " is no table");
    entry.points = has_points ? base::Function(entry.text, 't').operations()[0].table
                              : files.table(entry.text);
  } else if (is_function && files.table && entry.text.starts_with("table:")) {
    entry.points = files.table(path);
  } else if (files.last_field && option != nullptr && option->kind == Kind::field &&
             entry.text.starts_with("file:")) {
    entry.text = files.last_field(path);
  }
  if (entry.points != nullptr) {
    entry.text = base::Function(entry.points).text();
  }
}

}  // namespace

const Entry* find(const std::vector<Entry>& entries, const std::string& key) {
  const auto match = std::ranges::find(entries, key, &Entry::key);
  return match == entries.end() ? nullptr : &*match;
}

void require(bool holds, const std::string& message) {
  if (!holds) {
    throw UserError(message);
  }
}

void require(bool holds, const char* key, const std::string& fault) {
  if (!holds) {
    throw UserError(key, fault);
  }
}

std::string in_quotes(const std::string& text) {
  return "'" + base::shortened(text, 60) + "'";
}

std::string message_of(const UserError& error) {
  const bool is_unknown = dynamic_cast<const base::UnknownName*>(&error) != nullptr;
  return error.what() +
         std::string(is_unknown ? "; --let \"NAME=VALUE\" gives a name a value" : "");
}

void require_name(const std::string& place, const std::string& name) {
  require(base::is_name(name),
          place + ": " + in_quotes(name) +
              " is not a name; give one of letters, digits and _, beginning with a letter");
  require(!base::is_reserved_name(name),
          place + ": " + name + " has a meaning in expressions; give another name");
}

void refuse_key(Command command, const std::string& place, const std::string& name) {
  std::vector<std::string> names;
  for (const Option& option : options()) {
    if (option.is_of(command) && (option.is_key() || !has_configuration(command))) {
      names.emplace_back(option.name);
    }
  }
  const bool is_in_section = name.find('.') != std::string::npos;
  throw UserError(
      fmt::format("{}: not a key of masing {}, see its --help{}{}", place, name_of(command),
                  is_in_section ? "; the sections are [model], [let], [table], [over]" : "",
                  base::meant(name, names)));
}

std::vector<Entry> ini_entries(Command command, const IniText& ini) {
  const std::vector<std::string> lines = base::split(ini.text, '\n');
  std::vector<Entry> entries;
  std::size_t line = 0;
  for (const po::option& option : options_in(command, ini, lines)) {
    // Program_options does not say in which line an option stands.
    std::string text = uncommented(lines[line++]);
    while ((text.starts_with('[') && text.ends_with(']')) || text.find('=') == std::string::npos) {
      text = uncommented(lines[line++]);
    }
    require(!option.string_key.empty(), fmt::format("{} line {}: {} has no key; give KEY = VALUE",
                                                    ini.place, line, in_quotes(text)));
    Entry& entry = entries.emplace_back(
        Entry{option.string_key, option.value.front(),
              fmt::format("{} line {}, {}", ini.place, line, option.string_key)});
    if (ini.is_of_result && is_gone(entry)) {
      entries.pop_back();
    } else if (option.unregistered) {
      refuse_key(command, entry.place, entry.key);
    } else if (entry.key == "model.name") {
      entry.key = "model";  // "name" in the section [model] names the model
    }
  }
  return entries;
}

Given read(Command command, const std::vector<std::string>& words, const Files& files) {
  Given given{.command = command};
  std::vector<Entry> line = entries_in(command, words, given.positions);
  std::vector<Entry> file = entries_of_config(line, files, given);
  for (const auto* source : {&file, &line}) {
    const Entry* model = find(*source, "model");
    given.model = model == nullptr ? given.model : model->text;
  }
  for (auto* source : {&file, &line}) {
    check_names(*source, given.model);
  }
  given.entries = std::move(file);
  for (Entry& one : line) {
    const auto there = std::ranges::find(given.entries, one.key, &Entry::key);
    (there == given.entries.end() ? given.entries.emplace_back() : *there) = std::move(one);
  }
  for (Entry& one : given.entries) {
    if (one.key.starts_with("let.") || one.key.starts_with("table.")) {
      require_name(one.place, one.name());
    }
    at_place(one.place, [&] { read_points(one, find_option(one.key, command), files); });
  }
  return given;
}

}  // namespace masing::cli
