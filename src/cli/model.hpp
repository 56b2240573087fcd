#pragma once

#include <string>
#include <vector>

#include "base/function.hpp"
#include "cli/keys.hpp"
#include "rheology/catalogue.hpp"

namespace masing::cli {

/// The entry of a model named at `origin`. Throws UserError where there is none. Local.
const rheology::CatalogueEntry& known_model(const std::string& name, const std::string& origin);

/// Every parameter of a model with its text, in the order of the catalogue: as given, else its
/// preset; n, where it is not given, from the length of a list. Read again they give the same.
/// Throws UserError for a parameter that is missing or not the model's. Local.
std::vector<Setting> completed_settings(const rheology::ModelInfo& info,
                                        const std::vector<Setting>& given);

/// The model that completed settings describe, each a number, a list "1, 2/3, max(1,i)" or an
/// expression in i, n and constants. Throws UserError for other texts. Local.
rheology::ModelSpec model_spec(const std::string& model, const std::vector<Setting>& settings,
                               const Constants& constants = {});

/// Throws UserError, with its origin in `settings`, for the first value with which there is no
/// model. Builds a few elements after another, so that all are checked without room for all. Local.
void check_model(const rheology::ModelSpec& spec, const std::vector<Setting>& settings);

/// masing models: each model in short, its title, order, equation, parameters with their presets.
/// Local.
std::string catalogue_text();

/// masing models NAME: the equation, the parameters or options with their presets, the columns of
/// the state, the expected order, the source. Local.
std::string model_text(const rheology::ModelInfo& info);

}  // namespace masing::cli
