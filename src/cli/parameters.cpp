#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/problem.hpp"
#include "rheology/catalogue.hpp"

namespace masing::cli {

using base::UserError;
using rheology::element_count;
using rheology::Parameter;

namespace {

/// The section of an .ini with the parameters of the model.
const std::string section = "model.";

/// Returns the values of a parameter. Its text is a list of numbers and expressions, or one
/// expression of i and n for all elements. In a list, n is `count`.
rheology::Sequence sequence_of(const Values& values, const std::string& name, double count) {
  const std::vector<std::string> pieces = split_list(values.text(section + name));
  std::vector<double> numbers;
  numbers.reserve(pieces.size());
  for (const std::string& piece : pieces) {
    if (piece.empty()) {
      throw UserError(
          fmt::format("value {} of the list is empty; give a number or an expression in i and n",
                      numbers.size() + 1));
    }
    if (const auto literal = base::to_number(piece)) {
      numbers.push_back(*literal);
      continue;
    }
    const base::Function function =
        values.parsed(piece, Kind::pair).bound(values.constants(), {}, {element_count});
    if (pieces.size() == 1) {
      return std::make_shared<const base::Function>(function);
    }
    numbers.push_back(
        function.bound({{element_count, count}})(static_cast<double>(numbers.size() + 1)));
  }
  if (numbers.size() == 1) {
    return numbers.front();
  }
  return numbers;
}

/// Returns, as text, the length of the first list that has one value for each element. Returns an
/// empty text if no parameter has such a list.
std::string counted_elements(const Values& values, const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) {
    const std::size_t count = split_list(values.text(section + parameter.name)).size();
    if (parameter.values == rheology::per_element && count > 1) {
      return std::to_string(count);
    }
  }
  return {};
}

}  // namespace

const rheology::CatalogueEntry& known_model(const std::string& name, const std::string& place) {
  return *with_origin(place, [&] { return &rheology::catalogue_entry(name); });
}

std::int64_t elements_of(const Values& values) {
  const std::string& text = values.text(section + element_count);
  if (text.empty()) {
    return 1;
  }
  (void)values.constants();  // the message of an error names the place of the constant
  return values.at(element_count, [&] {
    constexpr std::int64_t most = 100000000;
    const std::int64_t count = values.whole(text);
    if (count < 1 || count > most) {
      throw UserError(fmt::format("{}; must be a whole number from 1 to {}", count, most));
    }
    return count;
  });
}

void resolve_parameters(Values& values) {
  const rheology::ModelInfo& info = rheology::catalogue_entry(values.call().model).info;
  const std::string& levels = values.text("levels");
  const std::string of_elements = section + element_count;
  if (!levels.empty() && values.text("refine") == "elements" && !values.given(of_elements)) {
    // that of the first level
    values.set(of_elements, levels.substr(0, levels.find(':')), values.place("levels"));
  }
  const std::vector<Parameter> parameters = all_parameters(info);
  for (const Parameter& parameter : parameters) {
    const std::string key = section + parameter.name;
    if (!values.has(key)) {
      values.derive(key, parameter.preset                  ? base::to_text(*parameter.preset)
                         : parameter.name == element_count ? counted_elements(values, parameters)
                                                           : "");
    }
    if (!values.has(key)) {
      throw UserError(fmt::format(
          "{}: missing; {}; give --set {}=VALUE", values.place(parameter.name),
          parameter.name == element_count ? "no list of values says how many elements there are"
                                          : info.name + " needs it: " + parameter.meaning,
          parameter.name));
    }
  }
}

rheology::ModelSpec model_spec(const Values& values) {
  rheology::ModelSpec spec{.model = &rheology::catalogue_entry(values.call().model),
                           .parameters = {}};
  const std::int64_t elements = spec.parameters.elements = elements_of(values);
  for (const Parameter& parameter : all_parameters(spec.model->info)) {
    if (parameter.name != element_count) {
      // as rheology::ParameterValues inserts it in expressions
      const auto n = static_cast<double>(std::max(parameter.count(elements), elements));
      spec.parameters.sequences.emplace(parameter.name, values.at(parameter.name, [&] {
        return sequence_of(values, parameter.name, n);
      }));
    }
  }
  return spec;
}

}  // namespace masing::cli
