#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rheology/any_model.hpp"
#include "rheology/model_info.hpp"

namespace rheology {

/// One model: what is said of it, and how it is made; models of slabs are made by masing.
struct CatalogueEntry {
  ModelInfo info;
  std::function<AnyModel(const Values&)> make;  ///< empty unless of options::Family::finite
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

}  // namespace rheology
