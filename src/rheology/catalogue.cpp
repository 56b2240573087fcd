#include "rheology/catalogue.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/text.hpp"

namespace masing::rheology {

namespace {

/// Returns the entries of the models of slabs.
std::vector<CatalogueEntry> slab_entries() {
  return {
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
        .source = "(7) with m = 0, continuous-masing-2001"}},
      {{.name = "masing-chain",
        .title = "n masses in series, with the continuous Masing element in each link",
        .equation =
            "base |-[1]-(m_1)-[2]-(m_2)- ... -[n]-(m_n)    [j]: a slab, k0_j and c_j in parallel\n"
            "x_i' = y_i\n"
            "m_i y_i' = F_i - m_i a_g - c_ground_i y_i + f_{i+1} - f_i, f_{n+1} = 0\n"
            "f_j = k0_j d_j + c_j d_j' + k_j ∫ k(s) u_j(s) ds, d_j = x_j - x_{j-1}, x_0 = 0\n"
            "u_j(s)' + beta(u_j(s)/(eta_j eta(s))) ∋ d_j'\n"
            "a base that absorbs: x_0' = y_0, base_mass y_0' = base_impedance (2 v - y_0) + f_1",
        .parameters = {{"n", "elements"},
                       {"m", "masses", Range::positive, per_element},
                       {"k", "factors of k(s)", Range::positive, per_element},
                       {"eta", "factors of eta(s) and u0(s)", Range::positive, per_element, 1.0},
                       {"k0", "linear springs", Range::not_negative, per_element, 0.0},
                       {"c", "dashpots of the elements", Range::not_negative, per_element, 0.0},
                       {"c_ground", "dashpots with the forces -c_ground y on the masses",
                        Range::not_negative, per_element, 0.0},
                       {"base_impedance", "of a base that absorbs: density times wave speed",
                        Range::not_negative, 1, 0.0},
                       {"base_mass", "of a base that absorbs: mass of node 0", Range::not_negative,
                        1, 0.0}},
        .state = {{"x", GroupSize::each}, {"y", GroupSize::each}},
        .order = "2",
        .source = "(2.30), rheological-models-2000, with (7), continuous-masing-2001"}}};
}

}  // namespace

const std::vector<CatalogueEntry>& catalogue() {
  static const std::vector<CatalogueEntry> all = [] {
    std::vector<CatalogueEntry> entries{friction_oscillator(),
                                        p_parallel(),
                                        viscoelastoplastic(),
                                        prandtl(),
                                        three_springs(),
                                        discrete_masing(),
                                        s_chain(),
                                        p_chain(),
                                        p_series(),
                                        s1_p2_series(),
                                        s1_p2_parallel(),
                                        persoz(),
                                        persoz_quasistatic()};
    std::ranges::move(slab_entries(), std::back_inserter(entries));
    return entries;
  }();
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
  const ParameterValues values(all_parameters(info), spec.parameters, held);
  return {spec.model->make(values), initial_state(info, values)};
}

}  // namespace masing::rheology
