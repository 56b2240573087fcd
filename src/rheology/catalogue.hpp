#pragma once

#include <string>
#include <variant>
#include <vector>

#include "rheology/model_info.hpp"
#include "rheology/p_elements.hpp"
#include "rheology/persoz.hpp"
#include "rheology/s_elements.hpp"

namespace masing::rheology {

/// A model of finitely many elements; each of these types is an Inclusion. The catalogue lists the
/// models in this order.
struct AnyModel : std::variant<FrictionOscillator, PParallel, Viscoelastoplastic, Prandtl,
                               ThreeSprings, DiscreteMasing, SChain, PChain, PSeries, S1P2Series,
                               S1P2Parallel, Persoz, PersozQuasistatic> {
  using variant::variant;
};

/// Returns the entries of all models: those of AnyModel in its order, and then those of the
/// continuous Masing model, which this room does not solve. Local.
const std::vector<CatalogueEntry>& catalogue();

/// Returns the entry of the model with this name. Throws UserError if no model has this name.
/// Local.
const CatalogueEntry& catalogue_entry(const std::string& name);

/// A model object that holds a range of the elements, and the state of these elements at t = 0.
/// Columns that follow from the force (StartsFromForce) are 0 in this state.
struct BuiltModel {
  AnyModel model;
  std::vector<double> start;
};

/// Constructs a model object that holds the elements `held`, and its initial state. Throws
/// UserError if the parameters are not valid; the message names the parameter if a single one is
/// wrong. Local.
BuiltModel build(const ModelSpec& spec, const base::CellRange& held);

}  // namespace masing::rheology
