#include "rheology/catalogue.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <type_traits>

#include "base/error.hpp"
#include "base/text.hpp"

namespace masing::rheology {

namespace {

template <Inclusion Model>
CatalogueEntry entry() {
  return {Model::info(), [](const ParameterValues& values) -> AnyModel { return Model(values); }};
}

/// Returns an entry for each model, in the order of AnyModel, and then the entries of the slab.
template <typename... Models>
std::vector<CatalogueEntry> all_entries(std::type_identity<std::variant<Models...>> /*models*/) {
  return {entry<Models>()...,
          {{.name = "masing",
            .title = "the continuous Masing model, S-elements for all s in [0,1] in parallel",
            .equation = "x' = y\nm y' = F - m a_g - c y - k0 x - ∫ k(s) u(s) ds\n"
                        "u(s)' + beta(u(s)/eta(s)) ∋ y",
            .order = "1",
            .source = "(7), (26), continuous-masing-2001"}},
          {{.name = "masing-quasistatic",
            .title = "the continuous Masing model without a mass, from x0 driven by x(t) or F(t)",
            .equation = "F = k0 x + ∫ k(s) u(s) ds\nu(s)' + beta(u(s)/eta(s)) ∋ x'",
            .order = ">=1",
            .source = "(7) with m = 0, continuous-masing-2001"}}};
}

}  // namespace

const std::vector<CatalogueEntry>& catalogue() {
  static const std::vector<CatalogueEntry> all =
      all_entries(std::type_identity<AnyModel::variant>());
  return all;
}

const CatalogueEntry& catalogue_entry(const std::string& name) {
  const auto place = std::ranges::find(catalogue(), name,
                                       [](const CatalogueEntry& entry) { return entry.info.name; });
  if (place == catalogue().end()) {
    std::vector<std::string> names;
    for (const CatalogueEntry& entry : catalogue()) {
      names.push_back(entry.info.name);
    }
    throw base::UserError(fmt::format("'{}' is not a model; masing models lists them{}", name,
                                      base::meant(name, names)));
  }
  return *place;
}

BuiltModel build(const ModelSpec& spec, const base::CellRange& held) {
  const ModelInfo& info = spec.model->info;
  for (const auto& [name, sequence] : spec.parameters.sequences) {
    require_parameter(info, name);
  }
  const ParameterValues values(all_parameters(info), spec.parameters, held);
  return {spec.model->make(values), initial_state(info, values)};
}

}  // namespace masing::rheology
