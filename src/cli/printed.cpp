#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text.hpp"
#include "cli/problem.hpp"
#include "cli/spec.hpp"
#include "rheology/catalogue.hpp"

namespace masing::cli {

namespace {

/// One key of a request: the name of an option, or a key in a section ("model.k", "over.w",
/// "let.a").
struct Key {
  std::string name;
  std::string value;  ///< the value, with constants replaced by their values

  /// the text of an expression, whose value may be another text; else empty
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

/// Adds the keys in sections: the parameters in the order of the catalogue, then the axes, the
/// constants and the tables, each in the order in which the user gave them.
void add_sections(const Values& values, std::vector<Key>& keys) {
  if (has_parameters(values.family())) {
    const auto& model = rheology::catalogue_entry(values.call().model);
    for (const rheology::Parameter& parameter : all_parameters(model.info)) {
      const std::string key = "model." + parameter.name;
      keys.push_back({key, parameter_text(values, values.text(key)), values.text(key)});
    }
  }
  for (const std::string section : {"over.", "let.", "table."}) {
    for (const auto& [key, text, place, points] : values.call().entries) {
      if (!key.starts_with(section)) {
        continue;
      }
      if (section == "let." && !base::to_number(text)) {
        keys.push_back(
            {key, base::to_text(values.constants().at(key.substr(section.size()))), text});
      } else {
        keys.push_back({key, text});
      }
    }
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
    const auto gives_key = [&](const scan::Column& column) {
      return !column.is_axis && column.key == option.name;
    };
    const bool is_of_points = std::ranges::any_of(request.axes->points.columns, gives_key) ||
                              (values.command() == Command::scan && !values.given(option.name) &&
                               option.is_numeric() && option.preset.empty());
    if (option.is_of(values.command()) && option.is_of(values.family()) && option.role <= last &&
        !is_of_points && !refined.contains(option.name)) {
      std::string value = values.value(option);
      // An HDF5 file of samples is often a temporary one, and the result file contains the samples.
      if (option.name == std::string("samples") && value.ends_with(".h5")) {
        value = std::filesystem::path(value).filename().string();
      }
      const std::string& text = values.text(option.name);
      const bool is_calculated =
          (option.is_number() || option.is_function()) && !base::to_number(text);
      if (!value.empty() || !option.is_number()) {
        keys.push_back({option.name, value, is_calculated ? text : "", &option});
      }
    }
  }
  add_sections(values, keys);
  return keys;
}

/// Returns a text by which values are compared: `text` without blanks. The blanks of a table
/// ("points:…") are kept, because they separate numbers. A text of more than 1000 bytes is replaced
/// by its checksum XXH3, so that it can be stored as an attribute of a file.
std::string comparison_key(std::string text) {
  constexpr std::size_t longest = 1000;
  if (!text.starts_with("points:")) {
    std::erase(text, ' ');
  }
  const XXH128_hash_t sum = XXH3_128bits(text.data(), text.size());
  return text.size() <= longest ? text : fmt::format("{:016x}{:016x}", sum.high64, sum.low64);
}

}  // namespace

std::string derived_keys(const Request& request) {
  const std::string of_elements = std::string("model.") + rheology::element_count;
  std::vector<std::string> derived;
  for (const Key& key : keys_of(request, Role::result)) {
    if ((key.option != nullptr || key.name == of_elements) && request.values.is_derived(key.name)) {
      derived.push_back(key.name);
    }
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

std::vector<std::string> changed_keys(const Given& before, const Given& now,
                                      const Names& may_differ) {
  std::map<std::string, std::string> left;
  for (const Entry& entry : now.entries) {
    left.emplace(entry.key, entry.text);
  }
  std::vector<std::string> all;
  const auto compare = [&](const std::string& key, const std::string& was, const std::string& is) {
    if (!may_differ.contains(key) && comparison_key(was) != comparison_key(is)) {
      all.push_back(fmt::format("{} (was {:.60}, is {:.60})", key, was, is));
    }
  };
  for (const Entry& entry : before.entries) {
    const auto match = left.find(entry.key);
    compare(entry.key, entry.text, match == left.end() ? "none" : match->second);
    left.erase(entry.key);
  }
  for (const auto& [key, is] : left) {
    compare(key, "none", is);
  }
  return all;
}

std::string problem_text(const Request& request) {
  // Options that the papers do not have are left out if they have no effect.
  const std::map<std::string, std::string> without_effect{
      {"threshold-down", ""}, {"damping", "0"}, {"base-acceleration", "0"}};
  std::vector<std::string> texts;
  for (const Key& key : keys_of(request, Role::problem)) {
    const auto match = without_effect.find(key.name);
    const bool is_of_problem =
        key.option != nullptr || key.name.starts_with("model.") || key.name.starts_with("table.");
    if (is_of_problem && (match == without_effect.end() || match->second != key.value)) {
      texts.push_back(fmt::format("{}={}", key.name, comparison_key(key.value)));
    }
  }
  return base::joined(texts, ";");
}

}  // namespace masing::cli
