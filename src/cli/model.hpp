#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/function.hpp"
#include "cli/number.hpp"
#include "rheology/model_info.hpp"

namespace masing::cli {

/// The entry of a model named at `origin`. Throws UserError where there is none. Local.
const rheology::CatalogueEntry& known_model(const std::string& name, const std::string& origin);

/// The parameters of a model as given, each text read once.
struct ModelParameters {
  const rheology::CatalogueEntry* model = nullptr;
  /// Every one in the order of the catalogue: as given, else its preset; n defaults to the length
  /// of the first list. The texts read back as the same parameters.
  std::vector<Setting> settings;
  std::vector<std::vector<base::Function>> values;  ///< of each a list of functions of i, or one
  std::optional<Number> elements;                   ///< n, of models that have it
  bool counts_lists = false;                        ///< n is the length of the first list

  /// The constants that they need.
  [[nodiscard]] Names constants() const;
  /// The text of setting `p` with values in the places of constants.
  [[nodiscard]] std::string text(std::size_t p, const Constants& constants) const;
};

/// Reads settings, each a number, a list "1, 2/3, max(1,i)" or an expression in i, n and
/// `constants`. Throws UserError for a parameter that is missing or not the model's. Local.
ModelParameters model_parameters(const rheology::CatalogueEntry& model,
                                 const std::vector<Setting>& given, const Names& constants);

/// The model; `varied` replaces some parameters by values of a scan. Throws UserError. Local.
rheology::ModelSpec model_spec(const ModelParameters& parameters, const Constants& constants,
                               const std::map<std::string, double>& varied = {});

/// Throws UserError for the first value with which there is no model. Builds blocks of
/// elements one after another, so that all are checked without room for all. Local.
void check_model(const rheology::ModelSpec& spec);

}  // namespace masing::cli
