#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/function.hpp"
#include "cli/number.hpp"
#include "rheology/model_info.hpp"

namespace masing::cli {

/// Returns the catalogue entry of the model `name`. Throws UserError, whose message begins with
/// `origin`, if there is no such model. Local.
const rheology::CatalogueEntry& known_model(const std::string& name, const std::string& origin);

/// The parameters of a model of finitely many elements; the text of each is parsed once.
struct ModelParameters {
  const rheology::CatalogueEntry* model = nullptr;
  /// All parameters in the order of the catalogue. Each has the text that the user gave, or else
  /// its default. The default of n is the length of the first list that has one value for each
  /// element. Parsing the texts gives the same parameters again.
  std::vector<Setting> settings;
  /// the values of each parameter: a list with one function for each value, or a single function of
  /// the element's index i = 1, …, n, which gives all values
  std::vector<std::vector<base::Function>> values;
  /// the number of elements n; empty if the model has no parameter n
  std::optional<Number> elements;
  bool counts_lists = false;  ///< whether n was not given and follows from the length of a list

  /// Returns the names of the constants that the parameters use; n counts as a constant.
  [[nodiscard]] Names constants() const;
  /// Returns the text of parameter `p`, in which constants are replaced by their values.
  [[nodiscard]] std::string text(std::size_t p, const Constants& constants) const;
};

/// Parses the settings of a model's parameters. Each text is a number, a list such as "1, 2/3,
/// max(1,i)", or an expression in i, n and `constants`. Throws UserError if a parameter of the
/// model is missing, if a setting is not for a parameter of the model, or if a text is not valid.
/// Local.
ModelParameters model_parameters(const rheology::CatalogueEntry& model,
                                 const std::vector<Setting>& given, const Names& constants);

/// Returns the model with these parameters. `constants` has the values of the constants. `varied`
/// maps the name of each parameter that a scan varies to a value, which replaces the value in
/// `parameters`. Throws UserError if n is not a whole number from 1 to 10^8. Local.
rheology::ModelSpec model_spec(const ModelParameters& parameters, const Constants& constants,
                               const std::map<std::string, double>& varied = {});

/// Checks that the model can be built. Throws UserError for the first parameter value that is not
/// allowed. Builds the elements in blocks, one block after another, so that a large model does not
/// need the memory for all its elements. Local.
void check_model(const rheology::ModelSpec& spec);

}  // namespace masing::cli
