#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "rheology/discrete_masing.hpp"
#include "rheology/friction_oscillator.hpp"
#include "rheology/model_info.hpp"
#include "rheology/p_chain.hpp"
#include "rheology/p_series.hpp"
#include "rheology/persoz.hpp"
#include "rheology/prandtl.hpp"
#include "rheology/s1_p2.hpp"
#include "rheology/s_chain.hpp"
#include "rheology/viscoelastoplastic.hpp"

namespace masing::rheology {

/// Any model of cli::Family::finite, each an Inclusion: the catalogue lists them as they stand
/// here.
using AnyModel = std::variant<FrictionOscillator, PParallel, Viscoelastoplastic, Prandtl,
                              ThreeSprings, DiscreteMasing, SChain, PChain, PSeries, S1P2Series,
                              S1P2Parallel, Persoz, PersozQuasistatic>;

/// What the catalogue says of the continuous Masing model, which masing solves.
inline ModelInfo continuous_masing() {
  return {.name = "masing",
          .title = "the continuous Masing model, S-elements for all s in [0,1] in parallel",
          .equation = "x' = y\nm y' = F - k0 x - ∫ k(s) u(s) ds\nu(s)' + beta(u(s)/eta(s)) ∋ y",
          .parameters = {},
          .state = {},
          .order = "1",
          .source = "(7), (26), continuous-masing-2001"};
}

/// The same without a mass.
inline ModelInfo quasistatic_masing() {
  return {.name = "masing-quasistatic",
          .title = "the continuous Masing model without a mass, driven by x(t) or F(t)",
          .equation = "F = k0 x + ∫ k(s) u(s) ds\nu(s)' + beta(u(s)/eta(s)) ∋ x'",
          .parameters = {},
          .state = {},
          .order = ">=1",
          .source = "(7) with m = 0, continuous-masing-2001"};
}

/// One model: what is said of it, and how it is made; models of slabs are made by masing.
struct CatalogueEntry {
  ModelInfo info;
  std::function<AnyModel(const Values&)> make;  ///< empty unless of cli::Family::finite
};

/// Every model, in the order of the papers. Local.
const std::vector<CatalogueEntry>& catalogue();

/// The entry of a name, given at `origin`. Throws UserError where there is none. Local.
const CatalogueEntry& catalogue_entry(const std::string& name, const std::string& origin);

/// Each model in short: title, order, equation, parameters with their presets. Local.
std::string catalogue_text();

/// All of one model: its equation, its parameters or options with their presets, the columns of its
/// state, the expected order, the source. Local.
std::string model_text(const ModelInfo& info);

}  // namespace masing::rheology
