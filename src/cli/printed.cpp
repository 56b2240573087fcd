#include "cli/printed.hpp"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "cli/problem.hpp"
#include "rheology/catalogue.hpp"

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

/// Returns the value of a parameter as text, in which constants but n are replaced by their values.
std::string parameter_text(const Values& values, const std::string& text) {
  std::vector<std::string> pieces = split_list(text);
  for (std::string& piece : pieces) {
    if (!base::to_number(piece)) {
      piece = values.parsed(piece, Kind::pair)
                  .bound(values.constants(), {}, {rheology::element_count})
                  .text();
    }
  }
  return base::joined(pieces, ",");
}

/// Adds the keys in sections: the parameters in the order of the catalogue, the axes and the
/// constants in the order in which the user gave them, and the tables by name.
void add_sections(const Values& values, std::vector<Key>& keys) {
  if (has_parameters(values.family())) {
    const auto& model = rheology::catalogue_entry(values.call().model);
    for (const rheology::Parameter& parameter : all_parameters(model.info)) {
      const std::string key = "model." + parameter.name;
      keys.push_back({key, parameter_text(values, values.text(key)), values.text(key)});
    }
  }
  std::vector<Key> lets;
  std::map<std::string, std::string> tables;
  for (const auto& [key, text, place, points] : values.call().entries) {
    if (key.starts_with("over.")) {
      keys.push_back({key, text});
    } else if (key.starts_with("let.")) {
      const bool is_number = base::to_number(text).has_value();
      const std::string name = key.substr(key.find('.') + 1);
      lets.push_back({key, is_number ? text : base::to_text(values.constants().at(name)),
                      is_number ? "" : text});
    } else if (key.starts_with("table.")) {
      tables[key] = text;
    }
  }
  keys.insert(keys.end(), lets.begin(), lets.end());
  for (const auto& [key, text] : tables) {
    keys.push_back({key, text});
  }
}

/// Returns those options of the request's command and model whose role is `last` or is listed
/// before `last` in Role, followed by the keys in sections. Numbers that have no value are left
/// out. In a scan, numeric options that the user did not give and that have no fixed default are
/// left out, too, because each point derives its own value. The steps or cells that a study refines
/// are left out of an .ini (`last` is Role::execution), but stay in files, since default levels may
/// follow from them.
std::vector<Key> keys_of(const Request& request, Role last) {
  const Values& values = request.values;
  const bool is_study = values.command() == Command::converge;
  const Names refined = is_study && last == Role::execution ? refined_keys(values) : Names();
  std::vector<Key> keys;
  for (const Option& option : options()) {
    const bool is_of_points = request.axes->has_sample(option.name) ||
                              (values.command() == Command::scan && !values.given(option.name) &&
                               option.is_numeric() && *option.preset == 0);
    if (option.is_of(values.command()) && option.is_of(values.family()) && option.role <= last &&
        !is_of_points && !refined.contains(option.name)) {
      std::string value = values.value(option);
      // An HDF5 file of samples is often a temporary one, and the result file contains the samples.
      if (option.name == std::string("samples") && value.ends_with(".h5")) {
        value = std::filesystem::path(value).filename().string();
      }
      if (!value.empty() || !option.is_number()) {
        keys.push_back({option.name, value, values.calculated(option), &option});
      }
    }
  }
  add_sections(values, keys);
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

/// Returns a text by which values are compared: `text` without blanks. The blanks of a table
/// ("points:…") are kept, because they separate numbers. A text of more than 1000 bytes is replaced
/// by its checksum, so that it can be stored as an attribute of a file.
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
std::vector<std::pair<std::string, std::string>> keys_and_values(const Request& request,
                                                                 Role last) {
  const bool has_points = request.values.command() == Command::scan && last != Role::problem;
  std::vector<std::pair<std::string, std::string>> values;
  for (const Key& key : keys_of(request, last)) {
    if (key.name == "samples" && request.axes->inputs) {
      values.emplace_back(key.name, checksum(request.axes->inputs->source()->table));
    } else if (has_points || key.option != nullptr || key.name.starts_with("model.") ||
               key.name.starts_with("table.")) {
      values.emplace_back(key.name, has_points && !key.given.empty() ? key.given : key.value);
    }
  }
  return values;
}

}  // namespace

std::string derived_keys(const Request& request) {
  const Values& values = request.values;
  std::vector<std::string> derived;
  for (const Key& key : keys_of(request, Role::result)) {
    if (key.option != nullptr && values.is_derived(key.name)) {
      derived.push_back(key.name);
    }
  }
  const std::string of_elements = std::string("model.") + rheology::element_count;
  if (values.is_derived(of_elements)) {
    derived.push_back(of_elements);
  }
  return base::joined(derived, ",");
}

std::string printed(const Request& request, Role last) {
  const Values& values = request.values;
  std::string text = "# masing " + name_of(values.command()) + "\n";
  for (const std::string& line : values.call().comment) {
    text += "# " + line + "\n";
  }
  std::string section;
  for (const auto& [name, value, given, option] : keys_of(request, last)) {
    const auto dot = option == nullptr ? name.find('.') : 0;
    if (name.substr(0, dot) != section) {
      section = name.substr(0, dot);
      text += "\n[" + section + "]\n";
    }
    // The values of a scan over samples differ from row to row.
    const bool has_value =
        !request.axes->inputs && (option != nullptr ? option->is_numeric() : section == "let");
    // An option without a value is printed for a slab. For any other model it is printed only if
    // its role is execution.
    if (!value.empty() || !has_parameters(values.family()) ||
        (option && option->role == Role::execution)) {
      text += fmt::format("{} = {}\n", name.substr(dot == 0 ? 0 : dot + 1),
                          given.empty() || given == value ? value
                          : has_value                     ? fmt::format("{}  # {}", given, value)
                                                          : given);
    }
  }
  return text;
}

std::string announcement(const Request& request) {
  // A study and a scan have several P and N, which their tables list.
  Names shown{"model", "scheme", "engine"};
  if (request.values.command() == Command::simulate) {
    shown.insert({"cells", "steps"});
  }
  std::vector<std::string> parts;
  for (const Key& key : keys_of(request, Role::result)) {
    if (shown.contains(key.name) && !key.value.empty()) {
      parts.push_back(fmt::format("{} = {}", key.name, key.value));
    }
  }
  return fmt::format("masing {}: {}\n", name_of(request.values.command()),
                     base::joined(parts, ", "));
}

std::vector<Difference> differences(const Request& one, const Request& other) {
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

std::string problem_text(const Request& request) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : keys_and_values(request, Role::problem)) {
    if (!omitted_if_zero(key, value)) {
      texts.push_back(fmt::format("{}={}", key, comparison_key(value)));
    }
  }
  return base::joined(texts, ";");
}

}  // namespace masing::cli
