#include "cli/request.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace masing::cli {

using base::UserError;

namespace {

/// The keys of /configuration that the program no longer has, and their last defaults. A file may
/// also leave the value of each key empty.
const std::map<std::string, std::string> gone_keys{
    {"backbone", ""}, {"looks", ""},   {"past", "rest"},
    {"probe", ""},    {"resolve", ""}, {"until", ""},
};

/// The section of an .ini with the parameters of the model.
constexpr std::string_view of_parameters = "model.";

/// Returns whether `key` may occur in an .ini of `command`.
bool takes(Command command, const std::string& key) {
  return std::ranges::any_of(option_table(), [&](const Option& each) {
    const bool is_key = each.role != Role::call && each.name == key;
    const bool is_in_section = !each.section.empty() && key.starts_with(each.section);
    return (is_key || is_in_section) && each.is_of(command);
  });
}

/// Returns "; did you mean NAME?" for an unknown word. If the word is the symbol of a key that has
/// a default, such as N of steps, NAME is this key. Otherwise, it is the key with the most similar
/// name. Returns "" if no name is similar.
std::string meant_key(Command command, const std::string& word) {
  std::vector<std::string> names;
  for (const Option& option : option_table()) {
    if (option.is_of(command) && option.role != Role::call) {
      names.push_back(option.name);
      // the end of the symbol k or P in "k(s)" or "P|inf"
      const auto end = option.argument.find_first_of("(|");
      if (option.argument.substr(0, end) == word && !word.empty() && !option.preset.empty()) {
        return fmt::format("; did you mean {} ({})?", option.name, word);
      }
    }
  }
  return base::meant(word, names);
}

/// Throws UserError for a name that `command` does not take; the message says which commands take
/// it, or proposes a similar name.
[[noreturn]] void refuse_key(Command command, const std::string& origin, const std::string& name) {
  const Option* option = find_option(name);
  const bool is_of_another = option != nullptr && option->role != Role::call;
  std::vector<std::string> others;
  for (const Command other : is_of_another ? option->commands : std::set<Command>()) {
    others.push_back(name_of(other));
  }
  throw UserError(fmt::format("{}: {} is {}", origin, name,
                              is_of_another
                                  ? "a key of masing " + base::joined(others, " and ") + " only"
                                  : "not a key of masing " + name_of(command) + ", see its --help" +
                                        meant_key(command, name)));
}

/// Returns the settings in the words of a call. Throws UserError for unknown keys, and for values
/// that are missing or not allowed.
std::vector<Setting> from_words(Command command, const std::vector<std::string>& words) {
  std::vector<Setting> given;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (!word->starts_with("--")) {
      throw UserError("unexpected word '" + *word + "'" +
                      (word->ends_with(".ini")          ? "; give --config " + *word
                       : word->ends_with(".checkpoint") ? "; give --restart " + *word
                       : word->ends_with(".h5")
                           ? "; give --config " + *word + ", or --restart and a checkpoint"
                           : "; options start with --, values follow them" +
                                 meant_key(command, word->substr(word->starts_with('-') ? 1 : 0))));
    }
    const auto sign = std::min(word->find('='), word->size());
    const bool has_sign = sign < word->size();
    const std::string origin = word->substr(0, sign);
    const std::string name = origin.substr(2);
    const Option* const option = find_option(name);
    if (option == nullptr || !option->is_of(command)) {
      refuse_key(command, origin, name);
    }
    std::string text = "true";
    if (option->argument.empty()) {
      if (has_sign) {
        throw UserError(origin + ": takes no value; leave out " + word->substr(sign));
      }
    } else {
      text = has_sign ? word->substr(sign + 1) : "";
      const bool ends = word + 1 == words.end();
      if (has_sign ? text.empty() : ends || word[1].starts_with("--")) {
        throw UserError(fmt::format("{0}: no value{1}{2}; give {0}=VALUE", origin,
                                    has_sign || ends ? "" : " before ",
                                    has_sign || ends ? "" : word[1]));
      }
      text = has_sign ? text : *++word;
    }
    given.push_back({name, text, origin});
    if (!option->section.empty()) {  // --set k=2 is the entry k = 2 of the section [model]
      const auto equals = text.find('=');
      const std::string what{base::trimmed(text.substr(0, equals))};
      if (equals == std::string::npos || what.empty()) {
        throw UserError(fmt::format("{}: '{}' sets nothing; give {} {}", origin, text, origin,
                                    option->argument));
      }
      given.back() = {option->section + what, text.substr(equals + 1),
                      fmt::format("{} {}", origin, what)};
    }
    // Values are later printed into an .ini, where # begins a comment and a value ends with its
    // line. Therefore, # and line breaks are not allowed.
    Setting& one = given.back();
    if (name != "config" && one.text.find_first_of("#\n\r") != std::string::npos) {
      throw UserError(one.origin + ": a value must be one line without #");
    }
    one.text = std::string(base::trimmed(one.text));
  }
  return given;
}

/// Returns the settings in the text of an .ini, without those that is_gone() skips in the
/// configuration of a result file. Throws UserError for lines that are not valid and for keys that
/// the command does not take.
std::vector<Setting> from_ini(Command command, const IniText& ini) {
  std::vector<Setting> given = ini_entries(ini.place, ini.text);
  if (ini.is_of_result) {
    std::erase_if(given, is_gone);
  }
  for (Setting& one : given) {
    if (!takes(command, one.name)) {
      refuse_key(command, one.origin, one.name);
    }
    if (one.name == "model.name") {
      one.name = "model";  // "name" in the section [model] names the model
    }
  }
  return given;
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

/// Returns the tables of --table, by name. Throws UserError if a name or a table is not valid, or
/// if the name is in `taken`. Local if reading `files` is local.
std::map<std::string, NamedTable> tables_of(const std::vector<Setting>& given, const Names& taken,
                                            const Files& files) {
  std::map<std::string, NamedTable> tables;
  for (const Setting& one : given) {
    require_name(one);
    with_origin(one.origin, [&] {
      if (taken.contains(one.name)) {
        throw UserError("a constant or a column of samples has this name, too; give another");
      }
      const bool has_points = one.text.starts_with("points:");
      tables[one.name] = {
          has_points ? base::Function(one.text, 't') : base::Function(files.points(one.text)),
          one.origin};
    });
  }
  return tables;
}

/// Returns whether the names of tables stand for numbers in this option.
bool takes_tables(const std::string& key) {
  return key == "final-time" || key == "steps";
}

/// Returns the values of the names that a numeric option may use: of `constants` and, for the final
/// time and the number of steps, of the tables. Then the value of a table is its last argument, or
/// the number of steps up to there whose width is the mean distance of its arguments.
Constants names_for(const std::string& key, const Configuration& c) {
  Constants constants = c.constants;
  if (takes_tables(key)) {
    for (const auto& [name, table] : c.tables) {
      const std::vector<double>& t = table->arguments;
      const double width = (t.back() - t.front()) / static_cast<double>(t.size() - 1);
      constants[name] = key == "steps" ? std::round(t.back() / width) : t.back();
    }
  }
  return constants;
}

/// Throws UserError if two settings have the same name.
void refuse_repeats(const std::vector<Setting>& given) {
  for (auto i = given.begin(); i != given.end(); ++i) {
    const auto first = std::ranges::find(given.begin(), i, i->name, &Setting::name);
    if (first != i) {
      throw UserError(i->origin + ": given twice" +
                      (first->origin == i->origin ? "" : ", first by " + first->origin) +
                      "; give it once");
    }
  }
}

/// Returns whether one of the settings changes what is computed.
bool changes_result(const std::vector<Setting>& words) {
  return std::ranges::any_of(words, [](const Setting& one) {
    const Option* option = find_option(one.name);
    return option == nullptr || option->role <= Role::result;  // null for a key in a section
  });
}

/// Returns the setting of this name, or null if there is no such setting.
const Setting* find(const std::vector<Setting>& given, const std::string& name) {
  const auto match = std::ranges::find(given, name, &Setting::name);
  return match == given.end() ? nullptr : &*match;
}

/// Adds a setting to `settings`, or replaces the setting of the same name.
void set_or_replace(Setting setting, std::vector<Setting>& settings) {
  const auto there = std::ranges::find(settings, setting.name, &Setting::name);
  (there == settings.end() ? settings.emplace_back() : *there) = std::move(setting);
}

/// Renames settings that give a parameter of a model of finitely many elements by the name of an
/// option. For example, the option mass sets the parameter m, so "mass" and "model.mass" become
/// "model.m".
void name_parameters(std::vector<Setting>& given) {
  for (Setting& one : given) {
    const std::string key = one.name.substr(one.name.starts_with("model.") ? 6 : 0);
    const Option* const option = find_option(key);
    if (option != nullptr && !option->parameter.empty()) {
      one.name = "model." + option->parameter;
    }
  }
}

/// Returns the settings of `given` that are in a section, in the same order. Their names are
/// returned without the name of the section.
std::vector<Setting> settings_of(const std::vector<Setting>& given, std::string_view section) {
  std::vector<Setting> settings;
  for (const Setting& one : given) {
    if (one.name.starts_with(section)) {
      settings.push_back({one.name.substr(section.size()), one.text, one.origin});
    }
  }
  return settings;
}

/// Parses the text of an option. Throws UserError, whose message says where the option was given,
/// if the text is not valid or the model does not take the option.
Given given_of(const Setting& setting, const std::string& model, const Names& constants,
               const Names& tables, const Files& files) {
  const Option* option = find_option(setting.name);
  Names names = constants;
  if (takes_tables(setting.name)) {
    names.insert(tables.begin(), tables.end());
  }
  if (option->value.kind == Kind::of_s || option->value.kind == Kind::field) {
    // The functions of s of a chain may differ from element to element.
    const Names of_elements = kind_of(model) == ModelKind::chain ? Names{"i", "n"} : Names{};
    names.insert(of_elements.begin(), of_elements.end());
  }
  return with_origin(setting.origin, [&] {
    if (!option->is_of(kind_of(model))) {
      throw UserError(
          fmt::format("not a key of --model {0}; masing models {0} lists what it takes", model));
    }
    return parse_value(option->value, setting, names, tables, files);
  });
}

/// Returns the parsed parameters of a model of finitely many elements, or nothing for a slab.
/// Throws UserError for settings that are not parameters of the model.
std::optional<ModelParameters> parameters_of(const std::string& model, const std::string& origin,
                                             const std::vector<Setting>& settings,
                                             const Names& constants) {
  const rheology::CatalogueEntry& entry = known_model(model, origin);
  if (has_parameters(kind_of(model))) {
    return model_parameters(entry, settings, constants);
  }
  if (!settings.empty()) {
    throw UserError(
        fmt::format("{0}: {1} has options in place of parameters; masing models {1} lists them",
                    settings.front().origin, model));
  }
  return std::nullopt;
}

}  // namespace

bool is_gone(const Setting& entry) {
  const auto gone = gone_keys.find(entry.name);
  // The reference of a study of 2.0 may be a result file.
  const bool is_file = entry.name == "reference" && entry.text.find('.') != std::string::npos;
  if (is_file || (gone != gone_keys.end() && !entry.text.empty() && entry.text != gone->second)) {
    throw UserError(entry.origin + ": gone in 3.0, so that " + in_quotes(entry.text) +
                    " cannot be computed again");
  }
  return gone != gone_keys.end();
}

std::vector<Setting> ini_entries(const std::string& path, const std::string& content) {
  std::vector<Setting> entries;
  std::string section;
  int number = 0;
  for (const std::string& line : base::split(content, '\n')) {
    ++number;
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

Request parse(Command command, const std::vector<std::string>& words, const Files& files) {
  Request request{.command = command};
  std::vector<Setting> line = from_words(command, words);
  std::vector<Setting> file;
  std::optional<io::Samples> samples_in_file;
  if (const Setting* config = find(line, "config")) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    IniText read = files.config(config->text);
    request.is_of_result = read.is_of_result;
    std::string& content = read.text;
    content.erase(0, content.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
    file = from_ini(command, read);
    std::erase_if(
        file, [&](const Setting& one) { return std::ranges::count(read.derived, one.name) > 0; });
    if (find(line, "samples") == nullptr) {
      samples_in_file = std::move(read.samples);
    }
    if (!changes_result(line)) {
      request.comment = leading_comment(content);
    }
  }
  Setting given_model{"model", request.model, "--model"};
  for (auto* source : {&file, &line}) {
    const Setting* model = find(*source, "model");
    given_model = model == nullptr ? given_model : *model;
  }
  const std::string& model = request.model = given_model.text;
  std::vector<Setting> all;
  for (auto* source : {&file, &line}) {
    if (has_parameters(kind_of(model))) {
      name_parameters(*source);
    }
    refuse_repeats(*source);
    for (Setting& one : *source) {
      set_or_replace(std::move(one), all);
    }
  }
  request.lets = settings_of(all, "let.");
  request.over = settings_of(all, "over.");
  std::vector<Setting> settings = settings_of(all, "model.");
  if (command == Command::scan) {
    request.axes =
        axes_of(find(all, "samples"), std::move(samples_in_file), request.over, given_model, files);
  }
  Names names;
  Names tables;
  for (const scan::Column& column : request.axes.points.columns) {
    if (column.key.starts_with(of_parameters)) {
      set_or_replace({column.key.substr(of_parameters.size()), base::to_text(column.values.front()),
                      column.place},
                     settings);
    } else if (column.key.starts_with("let.")) {
      names.insert(column.name);
    } else if (column.has_paths) {
      tables.insert(column.name);
    }
  }
  request.constants = in_order(request.lets, names);
  for (const NamedConstant& let : request.constants) {
    names.insert(let.given.name);
  }
  for (const std::string& table : tables) {
    if (names.contains(table)) {
      throw UserError(fmt::format("--samples {}: a constant has this name, too", table));
    }
  }
  Names taken = names;
  taken.insert(tables.begin(), tables.end());
  request.tables = tables_of(settings_of(all, "table."), taken, files);
  for (const auto& [name, table] : request.tables) {
    tables.insert(name);
  }
  const Setting* const refine = find(all, "refine");
  if (const Setting* levels = find(all, "levels");
      levels != nullptr && refine != nullptr && refine->text == "elements" &&
      find(settings, rheology::element_count) == nullptr) {
    settings.push_back({rheology::element_count,  // that of the first level
                        levels->text.substr(0, levels->text.find(':')), levels->origin});
  }
  request.parameters = parameters_of(model, given_model.origin, settings, names);
  for (const Setting& one : all) {
    const Option* const option = find_option(one.name);
    if (option != nullptr && option->value.assign) {
      request.entries[one.name] = given_of(one, model, names, tables, files);
    }
  }
  return request;
}

bool Request::is_of_papers() const {
  return model == presets().model && std::ranges::none_of(option_table(), [&](const Option& each) {
           return each.role == Role::problem && each.name != "model" && each.name != "final-time" &&
                  has(each.name);
         });
}

Configuration configuration_of(const Request& request, const Row& row) {
  Configuration c = presets();
  for (const auto& [name, table] : request.tables) {
    c.tables[name] = table.function.operations()[0].table;
  }
  std::map<std::string, double> parameters;
  for (const auto& [column, value, record] : row) {
    if (column->key.starts_with(of_parameters)) {
      parameters[column->key.substr(of_parameters.size())] = value;
    } else if (column->key.starts_with("let.")) {
      c.constants[column->name] = value;
    } else if (column->has_paths) {
      c.tables[column->name] = record;
    }
  }
  c.constants = constant_values(request.constants, std::move(c.constants));
  for (const auto& entry : request.entries) {
    // Clang 15 cannot capture a structured binding in a lambda
    const std::string& key = entry.first;
    const Given& given = entry.second;
    if (!request.axes.varies(key)) {
      with_origin(given.origin,
                  [&] { find_option(key)->value.assign(c, given, names_for(key, c)); });
    }
  }
  for (const Cell& cell : row) {
    if (const Option* option = find_option(cell.column->key)) {
      with_origin(cell.column->place, [&] {
        const Given given{.numbers = {{Number(cell.value)}}};
        option->value.assign(c, given, c.constants);
      });
    }
  }
  if (request.parameters) {
    c.elements = model_spec(*request.parameters, c.constants, parameters);
  }
  return c;
}

std::string origin_of(const Request& request, const std::string& quantity) {
  if (request.parameters) {
    const auto& settings = request.parameters->settings;
    const auto match = std::ranges::find(settings, quantity, &Setting::name);
    if (match != settings.end() && !match->origin.empty()) {
      return match->origin;
    }
  }
  const auto entry = request.entries.find(quantity);
  return entry == request.entries.end() ? "--" + quantity : entry->second.origin;
}

}  // namespace masing::cli
