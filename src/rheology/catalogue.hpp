#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"

namespace masing::rheology {

/// Returns the entries of all models: those of finitely many elements, and then those of the
/// continuous Masing model, which this room does not solve. Local.
const std::vector<CatalogueEntry>& catalogue();

/// Returns the entry of the model with this name. Throws UserError if no model has this name.
/// Local.
const CatalogueEntry& catalogue_entry(const std::string& name);

/// A model object that holds a range of the elements, and the state of these elements at t = 0.
/// Columns that follow from the force (Start::follows) are 0 in this state.
struct BuiltModel {
  std::unique_ptr<Inclusion> model;
  std::vector<double> start;
};

/// Constructs a model object that holds the elements `held`, and its initial state. Throws
/// UserError if the parameters are not valid; the message names the parameter if a single one is
/// wrong. Local.
BuiltModel build(const ModelSpec& spec, const base::CellRange& held);

// The entries of the models of finitely many elements. The models of P-elements are in
// p_elements.cpp, those of S-elements in s_elements.cpp, and Persoz's in persoz.cpp. Local.
CatalogueEntry friction_oscillator();
CatalogueEntry p_parallel();
CatalogueEntry viscoelastoplastic();
CatalogueEntry prandtl();
CatalogueEntry three_springs();
CatalogueEntry discrete_masing();
CatalogueEntry s_chain();
CatalogueEntry p_chain();
CatalogueEntry p_series();
CatalogueEntry s1_p2_series();
CatalogueEntry s1_p2_parallel();
CatalogueEntry persoz();
CatalogueEntry persoz_quasistatic();

/// Constructs a model of the class Model; for CatalogueEntry::make. Local.
template <class Model>
std::unique_ptr<Inclusion> made(const ParameterValues& values) {
  return std::make_unique<Model>(values);
}

}  // namespace masing::rheology
