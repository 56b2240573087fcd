#pragma once

#include <string>
#include <variant>
#include <vector>

#include "rheology/model_info.hpp"
#include "rheology/p_elements.hpp"
#include "rheology/persoz.hpp"
#include "rheology/s_elements.hpp"

namespace masing::rheology {

/// Any model of finitely many elements, each an Inclusion: the catalogue lists them as they stand
/// here.
struct AnyModel : std::variant<FrictionOscillator, PParallel, Viscoelastoplastic, Prandtl,
                               ThreeSprings, DiscreteMasing, SChain, PChain, PSeries, S1P2Series,
                               S1P2Parallel, Persoz, PersozQuasistatic> {
  using variant::variant;
};

/// Every model, in the order of the papers, with the continuous Masing model, which other engines
/// solve, at the end. Local.
const std::vector<CatalogueEntry>& catalogue();

/// The entry of a name. Throws UserError where there is none. Local.
const CatalogueEntry& catalogue_entry(const std::string& name);

/// Some elements of a model, with their state at t = 0, before StartsFromForce.
struct BuiltModel {
  AnyModel model;
  std::vector<double> start;
};

/// The elements `held` of a model. Throws UserError where its parameters do not make a model,
/// UserError where no single one is to blame. Local.
BuiltModel build(const ModelSpec& spec, const base::CellRange& held);

}  // namespace masing::rheology
