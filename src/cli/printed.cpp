#include "cli/printed.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/text.hpp"

namespace masing::cli {

namespace {

/// One key of a request: the name of an option, or a key in a section ("model.k", "over.w",
/// "let.a").
struct Key {
  std::string name;
  std::string value;  ///< the value, with constants replaced by their values

  /// the text that the user wrote if `value` may differ from it, as for an expression; else empty
  std::string given = {};
  const Option* option = nullptr;  ///< the option of this name; null for a key in a section
};

/// Returns those options of the request's command and model whose role is `last` or is listed
/// before `last` in Role, followed by the keys in sections. Numbers that have no value are left
/// out. In a scan, numeric options that the user did not give and that have no fixed default are
/// left out, too, because each point derives its own value. The steps or cells that a study refines
/// are left out of an .ini (`last` is Role::execution), but stay in files, since default levels may
/// follow from them.
std::vector<Key> keys_of(const BoundRequest& bound, Role last) {
  const Request& request = *bound.request;
  const Constants& constants = bound.configuration.constants;
  std::vector<Key> keys;
  for (const Option& option : option_table()) {
    const bool is_of_sample = std::ranges::any_of(
        request.axes.points.columns,
        [&](const scan::Column& column) { return !column.is_axis && column.key == option.name; });
    const bool is_of_points =
        is_of_sample || (request.command == Command::scan && !request.has(option.name) &&
                         option.value.is_numeric() && option.preset.empty());
    const bool is_of_levels = last == Role::execution && bound.refined.contains(option.name);
    if (option.is_of(request.command) && option.is_of(kind_of(request.model)) &&
        option.role <= last && !is_of_points && !is_of_levels &&
        (option.value.kind != Kind::number || !option.value.text(bound.configuration).empty())) {
      const auto entry = request.entries.find(option.name);
      const bool has_entry = entry != request.entries.end();
      // An HDF5 file of samples is often a temporary one, and the result file contains the samples.
      const std::string value = option.value.text(bound.configuration);
      const bool is_in_file = option.name == "samples" && value.ends_with(".h5");
      keys.push_back({option.name,
                      is_in_file ? std::filesystem::path(value).filename().string() : value,
                      has_entry ? entry->second.text_with_constants() : "", &option});
    }
  }
  for (std::size_t p = 0; request.parameters && p < request.parameters->settings.size(); ++p) {
    const Setting& setting = request.parameters->settings[p];
    keys.push_back({"model." + setting.name, request.parameters->text(p, constants), setting.text});
  }
  for (const Setting& over : request.over) {
    keys.push_back({"over." + over.name, over.text});
  }
  for (const Setting& let : request.lets) {
    const bool is_number = base::to_number(let.text).has_value();
    keys.push_back({"let." + let.name, is_number ? let.text : base::to_text(constants.at(let.name)),
                    is_number ? "" : let.text});
  }
  for (const auto& [name, table] : request.tables) {
    keys.push_back({"table." + name, table.function.text()});
  }
  return keys;
}

/// Returns whether `key` is an option that the papers do not have and that has no effect if it has
/// this value.
bool omitted_if_zero(const std::string& key, const std::string& value) {
  return (key == "threshold-down" && value.empty()) ||
         ((key == "damping" || key == "base-acceleration") && value == "0");
}

/// Returns the checksum XXH3 of a text, as 32 hexadecimal digits.
std::string checksum(const std::string& text) {
  const XXH128_hash_t sum = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", sum.high64, sum.low64);
}

}  // namespace

std::string comparison_key(std::string text) {
  if (!text.starts_with("points:")) {
    std::erase(text, ' ');
  }
  constexpr std::size_t longest = 1000;
  if (text.size() <= longest) {
    return text;
  }
  return checksum(text);
}

/// Returns those keys of a request whose role is `last` or is listed before `last` in Role, and the
/// keys "model.…" and "table.…", each with its value. The value of samples is a checksum of their
/// table, not its path. Constants are replaced by their values. Scans are an exception, because
/// their constants differ from point to point: values that use constants are returned as the user
/// wrote them, and the keys "over.…" and "let.…" are also returned. The exception does not apply if
/// `last` is Role::problem.
std::vector<std::pair<std::string, std::string>> keys_and_values(const BoundRequest& bound,
                                                                 Role last) {
  const bool has_points = bound.request->command == Command::scan && last != Role::problem;
  std::vector<std::pair<std::string, std::string>> values;
  for (const Key& key : keys_of(bound, last)) {
    if (key.name == "samples" && bound.request->axes.inputs) {
      values.emplace_back(key.name, checksum(bound.request->axes.inputs->source()->table));
    } else if (has_points || key.option != nullptr || key.name.starts_with("model.") ||
               key.name.starts_with("table.")) {
      values.emplace_back(key.name, has_points && !key.given.empty() ? key.given : key.value);
    }
  }
  return values;
}

std::string help(Command command) {
  std::string text = fmt::format(
      "masing {}: {}\n\nOptions, each also a key of an .ini:\n", name_of(command),
      command == Command::simulate   ? "one trajectory of a model, written to HDF5"
      : command == Command::converge ? "a refinement study: errors, observed orders and a verdict"
                                     : "one run, or one limit cycle, for each point of a grid");
  bool is_call = false;
  for (const Option& option : option_table()) {
    if (option.role == Role::call && !std::exchange(is_call, true)) {
      text +=
          "\nOthers; set, let, table and over once for each NAME, in an .ini below [model], [let], "
          "[table], [over]:\n";
    }
    if (option.is_of(command)) {
      const bool has_preset = !option.preset.empty() && !option.argument.empty();
      text += fmt::format("  {:<27} {}{}\n", fmt::format("--{} {}", option.name, option.argument),
                          option.help, has_preset ? " [" + option.preset + "]" : "");
    }
  }
  return text;
}

std::string derived_keys(const BoundRequest& bound) {
  const Request& request = *bound.request;
  std::vector<std::string> derived;
  for (const Key& key : keys_of(bound, Role::result)) {
    // The defaults of force and scheme depend on whether base-acceleration or position is given.
    // Therefore, force, scheme and base-acceleration count as derived if they are not given.
    const Names of_base{"force", "scheme", "base-acceleration"};
    if (key.option != nullptr && !request.has(key.name) &&
        (key.option->preset.empty() ? !key.value.empty() : of_base.contains(key.name))) {
      derived.push_back(key.name);
    }
  }
  if (request.parameters && request.parameters->counts_lists) {
    derived.push_back(std::string("model.") + rheology::element_count);
  }
  return base::joined(derived, ",");
}

std::string printed(const BoundRequest& bound, Role last) {
  const Request& request = *bound.request;
  std::string text = "# masing " + name_of(request.command) + "\n";
  for (const std::string& line : request.comment) {
    text += "# " + line + "\n";
  }
  std::string section;
  for (const auto& [name, value, given, option] : keys_of(bound, last)) {
    const auto dot = option == nullptr ? name.find('.') : 0;
    if (name.substr(0, dot) != section) {
      section = name.substr(0, dot);
      text += "\n[" + section + "]\n";
    }
    // The values of a scan over samples differ from row to row.
    const bool has_value =
        !request.axes.inputs && (option != nullptr ? option->value.is_numeric() : section == "let");
    // An option without a value is printed for a slab. For any other model it is printed only if
    // its role is execution.
    if (!value.empty() || !request.parameters || (option && option->role == Role::execution)) {
      text += fmt::format("{} = {}\n", name.substr(dot == 0 ? 0 : dot + 1),
                          given.empty() || given == value ? value
                          : has_value                     ? fmt::format("{}  # {}", given, value)
                                                          : given);
    }
  }
  return text;
}

std::string announcement(const BoundRequest& bound) {
  // A study and a scan have several P and N, which their tables list.
  Names shown{"model", "scheme", "engine"};
  if (bound.request->command == Command::simulate) {
    shown.insert({"cells", "steps"});
  }
  std::vector<std::string> parts;
  for (const Key& key : keys_of(bound, Role::result)) {
    if (shown.contains(key.name) && !key.value.empty()) {
      parts.push_back(fmt::format("{} = {}", key.name, key.value));
    }
  }
  return fmt::format("masing {}: {}\n", name_of(bound.request->command), base::joined(parts, ", "));
}

std::vector<Difference> differences(const BoundRequest& one, const BoundRequest& other) {
  const auto of_other = keys_and_values(other, Role::result);
  std::map<std::string, std::string> left(of_other.begin(), of_other.end());
  std::vector<Difference> all;
  for (const auto& [key, value] : keys_and_values(one, Role::result)) {
    const auto match = left.find(key);
    const std::string beside = match == left.end() ? "none" : match->second;
    if (comparison_key(beside) != comparison_key(value)) {
      all.push_back({key, value, beside});
    }
    left.erase(key);
  }
  for (const auto& [key, value] : left) {
    all.push_back({key, "none", value});
  }
  return all;
}

std::string problem_text(const BoundRequest& request) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : keys_and_values(request, Role::problem)) {
    if (!omitted_if_zero(key, value)) {
      texts.push_back(fmt::format("{}={}", key, comparison_key(value)));
    }
  }
  return base::joined(texts, ";");
}

}  // namespace masing::cli
