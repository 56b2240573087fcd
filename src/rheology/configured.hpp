#pragma once

#include <string>
#include <vector>

#include "options/configuration.hpp"
#include "options/function.hpp"
#include "rheology/catalogue.hpp"

namespace rheology {

/// options::validated with the model looked up first: its parameters checked and completed, its
/// expected orders and levels filled in where none are given. Throws UserError. Local if `read` is.
options::Configuration validated(options::Configuration configuration,
                                 const options::FileReader& read);

/// A model as a validated configuration of options::Family::finite describes it.
struct ConfiguredModel {
  AnyModel model;
  StateLayout layout;
  Work work = Work::replicated;
  base::CellRange elements;   ///< of a model whose work is split, those held; else all
  std::vector<double> start;  ///< their state at t = 0, before StartsFromForce
};

/// The model, with the elements of `part` alone if its work is split. Throws UserError where the
/// parameters do not make a model. Local.
ConfiguredModel configured_model(const options::Configuration& configuration,
                                 const Part& part = whole);

}  // namespace rheology
