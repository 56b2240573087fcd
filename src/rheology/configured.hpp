#pragma once

#include <string>
#include <vector>

#include "base/function.hpp"
#include "cli/configuration.hpp"
#include "rheology/catalogue.hpp"

namespace masing::rheology {

/// cli::validated with the model looked up first: its parameters checked and completed, its
/// expected orders and levels filled in where none are given. Throws UserError. Local if `read` is.
cli::Configuration validated(cli::Configuration configuration, const base::FileReader& read);

/// A model as a validated configuration of cli::Family::finite describes it.
struct ConfiguredModel {
  AnyModel model;
  StateLayout layout;
  Work work = Work::replicated;
  base::CellRange elements;   ///< of a model whose work is split, those held; else all
  std::vector<double> start;  ///< their state at t = 0, before StartsFromForce
};

/// The model, with the elements of `part` alone if its work is split. Throws UserError where the
/// parameters do not make a model. Local.
ConfiguredModel configured_model(const cli::Configuration& configuration, const Part& part = whole);

}  // namespace masing::rheology
