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
using AnyModel = std::variant<FrictionOscillator, PParallel, Viscoelastoplastic, Prandtl,
                              ThreeSprings, DiscreteMasing, SChain<>, PChain, PSeries<>, S1P2Series,
                              S1P2Parallel, Persoz, PersozQuasistatic>;

/// One model: what is said of it, and how it is made of the values of its parameters.
struct CatalogueEntry {
  ModelInfo info;
  AnyModel (*make)(const ParameterValues& values) = nullptr;  ///< none of the slab models
};

/// Every model, in the order of the papers, with the continuous Masing model, which other engines
/// solve, at the end. Local.
const std::vector<CatalogueEntry>& catalogue();

/// The entry of a name. Throws UserError where there is none. Local.
const CatalogueEntry& catalogue_entry(const std::string& name);

/// How a model of finitely many elements is solved: step by step, or from event to event.
enum class Solver { steps, events };

/// A model of finitely many elements, with its parameters.
struct ModelSpec {
  const CatalogueEntry* model = nullptr;  ///< of the catalogue; has a `make`
  Parameters parameters;
  Solver solver = Solver::steps;
  std::vector<double> force_breaks;  ///< times in (0, T) where F may not be smooth; Solver::events

  /// The columns of the state of all elements. Local.
  [[nodiscard]] StateLayout layout() const { return {model->info.state, parameters.elements}; }
  /// How ranks share the elements.
  [[nodiscard]] Work work() const { return model->info.work; }
  /// All elements.
  [[nodiscard]] base::CellRange all() const { return {0, parameters.elements}; }
};

/// Some elements of a model, with their state at t = 0, before StartsFromForce.
struct BuiltModel {
  AnyModel model;
  std::vector<double> start;
};

/// The elements `held` of a model. Throws ParameterError where its parameters do not make a model,
/// UserError where no single one is to blame. Local.
BuiltModel build(const ModelSpec& spec, const base::CellRange& held);

}  // namespace masing::rheology
