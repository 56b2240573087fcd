#include "cli/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/words.hpp"

namespace masing::cli {

using base::UserError;

namespace {

void refuse_repeats(const std::vector<Given>& given) {
  for (auto i = given.begin(); i != given.end(); ++i) {
    const auto first =
        std::find_if(given.begin(), i, [&](const Given& g) { return g.key == i->key; });
    if (first != i) {
      throw UserError(i->origin + ": given twice" +
                      (first->origin == i->origin ? "" : ", first by " + first->origin) +
                      "; give it once");
    }
  }
}

/// Whether one of the words decides what is computed.
bool changes_result(const std::vector<Given>& words) {
  return std::ranges::any_of(words, [](const Given& one) {
    const Option* option = find_option(one.key);
    const bool is_in_section = one.key.find('.') != std::string::npos;
    return option == nullptr ? is_in_section : option->role != Role::handling;
  });
}

/// What was given for a key, null where nothing was.
const Given* find(const std::vector<Given>& given, const std::string& key) {
  const auto found = std::ranges::find(given, key, &Given::key);
  return found == given.end() ? nullptr : &*found;
}

/// What was given in `file`, replaced by what was given in `line`.
std::vector<Given> joined(std::vector<Given> file, const std::vector<Given>& line) {
  for (const Given& one : line) {
    const auto before = std::ranges::find(file, one.key, &Given::key);
    if (before == file.end()) {
      file.push_back(one);
    } else {
      *before = one;
    }
  }
  return file;
}

/// The one key of what may be given in several ways: parameters of a model of finitely many
/// elements.
void normalise(std::vector<Given>& all) {
  for (Given& given : all) {
    for (const Option& option : option_table()) {
      if (!option.parameter.empty() &&
          (given.key == option.name || given.key == model_section.data() + option.name)) {
        given.key = model_section.data() + option.parameter;
      }
    }
  }
}

/// What was given below a section, in the order of the names' first lines.
std::vector<Setting> settings_of(const std::vector<Given>& given, std::string_view section) {
  std::vector<Setting> settings;
  for (const Given& one : given) {
    if (one.key.starts_with(section)) {
      put({one.key.substr(section.size()), one.text, one.origin}, settings);
    }
  }
  return settings;
}

/// Reads an option. Throws UserError that says where it was given.
Entry entry_of(const Given& given, const std::string& model, const Names& constants,
               const Files& files) {
  const Option* option = find_option(given.key);
  if (!option->is_of(kind_of(model))) {
    throw UserError(fmt::format("{}: not a key of --model {}; masing models {} lists what it takes",
                                given.origin, model, model));
  }
  return {option, given.origin, placed(given.origin + ": ", [&] {
            return option->value.read(given.text, constants, files);
          })};
}

/// The parameters of a model of finitely many elements. Throws UserError for those of another.
std::optional<ModelParameters> parameters_of(const std::string& model, const std::string& origin,
                                             const std::vector<Setting>& settings,
                                             const Names& constants) {
  const rheology::CatalogueEntry& entry = known_model(model, origin);
  if (entry.make != nullptr) {
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

Request parse(Command command, const std::vector<std::string>& words, const Files& files) {
  Request request{.command = command};
  std::vector<Given> line = from_words(command, words);
  request.help = find(line, "help") != nullptr;
  request.print_config = find(line, "print-config") != nullptr;
  request.validate_only = find(line, "validate-only") != nullptr;
  if (request.help) {
    return request;
  }
  std::vector<Given> file;
  if (const Given* config = find(line, "config")) {
    const std::string content = files.text(config->text);
    file = from_ini(command, config->text, content);
    request.comment = changes_result(line) ? "" : leading_comment(content);
  }
  for (auto* source : {&file, &line}) {
    for (Given& one : *source) {
      // An .ini could not say it again: # begins a comment there, and a line is a value.
      if (one.key != "config" && one.text.find_first_of("#\n\r") != std::string::npos) {
        throw UserError(one.origin + ": a value must be one line without #");
      }
      one.text = std::string(base::trimmed(one.text));
    }
  }
  const Given* given_model =
      find(line, "model") != nullptr ? find(line, "model") : find(file, "model");
  if (given_model != nullptr) {
    request.model = given_model->text;
  }
  const std::string& model = request.model;
  const std::string origin = given_model == nullptr ? "--model" : given_model->origin;
  for (auto* source : {&file, &line}) {
    if (kind_of(model) == ModelKind::finite) {
      normalise(*source);
    }
    refuse_repeats(*source);
  }
  const std::vector<Given> all = joined(std::move(file), line);
  request.lets = settings_of(all, let_section);
  request.over = settings_of(all, over_section);
  std::vector<Setting> settings = settings_of(all, model_section);
  if (command == Command::scan) {
    const Given* backbone = find(all, "backbone");
    request.axes = scan_axes(request.over, backbone == nullptr ? "" : backbone->text, model);
  }
  Names names;
  for (const Axis& axis : request.axes) {
    if (!axis.parameter.empty()) {
      put({axis.parameter, base::to_text(axis.values.values.front()), "--over " + axis.parameter},
          settings);
    } else if (axis.is_constant()) {
      names.insert(axis.values.name);
    }
  }
  request.constants = in_order(request.lets, names);
  for (const Let& let : request.constants) {
    names.insert(let.given.name);
  }
  request.parameters = parameters_of(model, origin, settings, names);
  for (const Given& one : all) {
    if (find_option(one.key) != nullptr) {
      request.entries[one.key] = entry_of(one, model, names, files);
    }
  }
  return request;
}

bool Request::varies(const std::string& key) const {
  return std::ranges::any_of(
      axes, [&](const Axis& axis) { return axis.option != nullptr && axis.option->name == key; });
}

std::vector<double> first_values(const Request& request) {
  std::vector<double> values(request.axes.size());
  std::ranges::transform(request.axes, values.begin(),
                         [](const Axis& axis) { return axis.values.values.front(); });
  return values;
}

Configuration configuration_of(const Request& request, std::span<const double> values) {
  Configuration c = presets();
  std::map<std::string, double> varied;
  for (std::size_t a = 0; a < values.size(); ++a) {
    const Axis& axis = request.axes[a];
    if (!axis.parameter.empty()) {
      varied[axis.parameter] = values[a];
    } else if (axis.is_constant()) {
      c.constants[axis.values.name] = values[a];
    }
  }
  c.constants = values_of(request.constants, std::move(c.constants));
  for (const auto& [key, given] : request.entries) {
    const Entry& entry = given;  // Clang 15 captures no structured binding
    if (!request.varies(key)) {
      placed(entry.origin + ": ", [&] { entry.reading.assign(c, c.constants); });
    }
  }
  for (std::size_t a = 0; a < values.size(); ++a) {
    if (const Option* option = request.axes[a].option) {
      placed("--over " + option->name + ": ",
             [&] { option->value.take(c, Number(values[a]), c.constants); });
    }
  }
  if (request.parameters) {
    c.finite = model_spec(*request.parameters, c.constants, varied);
  }
  return c;
}

std::string where(const Request& request, const std::string& quantity) {
  if (request.parameters) {
    if (const std::string origin = request.parameters->origin(quantity); !origin.empty()) {
      return origin + ": ";
    }
  }
  const auto entry = request.entries.find(quantity);
  return (entry == request.entries.end() ? "--" + quantity : entry->second.origin) + ": ";
}

}  // namespace masing::cli
