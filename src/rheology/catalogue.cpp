#include "rheology/catalogue.hpp"

#include <algorithm>
#include <type_traits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/keys.hpp"

namespace masing::rheology {

namespace {

template <Inclusion Model>
CatalogueEntry entry() {
  return {Model::info(), [](const Values& values) -> AnyModel { return Model(values); }};
}

/// An entry for each model, in the order of AnyModel, and those of slabs.
template <typename... Models>
std::vector<CatalogueEntry> all_entries(std::type_identity<std::variant<Models...>> /*models*/) {
  return {entry<Models>()..., {continuous_masing(), {}}, {quasistatic_masing(), {}}};
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 2, width), ' ');
  return text;
}

std::string indented(const std::string& lines) {
  std::string text;
  for (const auto& line : base::split(lines, '\n')) {
    text += "  " + line + "\n";
  }
  return text;
}

const char* range_text(Range range) {
  switch (range) {
    case Range::positive:
      return ", > 0";
    case Range::not_negative:
      return ", >= 0";
    default:
      return "";
  }
}

std::string line_of(const Parameter& parameter) {
  std::string text = parameter.meaning + range_text(parameter.range);
  if (parameter.values != 1) {
    text += parameter.values == per_element ? "; list of n"
                                            : "; list of " + base::to_text(parameter.values);
  }
  if (parameter.name == element_count) {
    text += "; may be left out beside a list";
  } else {
    text += parameter.preset.empty() ? "; required" : " [" + parameter.preset + "]";
  }
  return "  " + padded(parameter.name, 12) + text + "\n";
}

/// The options of a model of slabs that say what it is, not how it is solved or written.
std::string slab_options(cli::Family family) {
  std::string text;
  const cli::Configuration presets;
  for (const auto& option : cli::option_table()) {
    if (!takes(family, option) || takes(cli::Family::finite, option)) {
      continue;
    }
    const std::string preset = option.get(presets);
    text += "  " + padded("--" + option.name, 16) + option.help +
            (preset.empty() ? "" : " [" + preset + "]") + "\n";
  }
  return text;
}

std::string state_text(const ModelInfo& info) {
  std::vector<std::string> names;
  for (const StateGroup& group : info.state) {
    names.push_back(group.name);
    if (group.extent == Extent::each) {
      names.back().append("1 … ").append(group.name).append("n");
    }
  }
  return base::joined(names, " ");
}

}  // namespace

const std::vector<CatalogueEntry>& catalogue() {
  static const std::vector<CatalogueEntry> all = all_entries(std::type_identity<AnyModel>());
  return all;
}

const CatalogueEntry& catalogue_entry(const std::string& name, const std::string& origin) {
  const auto found = std::ranges::find(catalogue(), name,
                                       [](const CatalogueEntry& entry) { return entry.info.name; });
  if (found == catalogue().end()) {
    throw base::UserError(origin + ": '" + name + "' is not a model; masing models lists them");
  }
  return *found;
}

std::string catalogue_text() {
  std::string text = "The models; masing models NAME tells what the parameters mean.\n";
  for (const auto& [info, make] : catalogue()) {
    text += "\n" + info.name + ": " + info.title + "; order " + info.order + "\n" +
            indented(info.equation);
    std::vector<std::string> names;
    for (const auto& parameter : all_parameters(info)) {
      names.push_back(parameter.name + (parameter.preset.empty() ? "" : "=" + parameter.preset));
    }
    text += names.empty() ? "  options: masing models " + info.name + "\n"
                          : "  parameters: " + base::joined(names, " ") + "\n";
  }
  return text;
}

std::string model_text(const ModelInfo& info) {
  std::string text = info.name + ": " + info.title + "\n\n" + indented(info.equation);
  if (info.state.empty()) {
    text += "\noptions\n" + slab_options(cli::family_of(info.name));
  } else {
    text += "\nparameters, --set PARAMETER=VALUE\n";
    for (const auto& parameter : all_parameters(info)) {
      text += line_of(parameter);
    }
    text += "\nstate           " + state_text(info);
  }
  return text + "\nexpected order  " + info.order + "\nsource          " + info.source + "\n";
}

}  // namespace masing::rheology
