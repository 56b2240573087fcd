#include "cli/model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/text.hpp"
#include "rheology/catalogue.hpp"

namespace masing::cli {

using base::UserError;
using rheology::element_count;
using rheology::ModelSpec;
using rheology::Parameter;

namespace {

/// Returns the values of a setting, parsed as functions of i. `constants` includes n, the number of
/// elements. Throws UserError if a value is empty or not an expression in i and `constants`.
std::vector<base::Function> functions_of(const Setting& setting, const Names& constants) {
  return with_origin(setting.origin, [&] {
    std::vector<base::Function> values;
    for (const std::string& piece : split_list(setting.text)) {
      if (piece.empty()) {
        throw UserError(
            fmt::format("value {} of the list is empty; give a number or an expression in i and n",
                        values.size() + 1));
      }
      values.push_back(with_hint([&] { return base::Function(piece, 'i', constants); }));
    }
    return values;
  });
}

/// Returns the values of a parameter. `functions` contains one function of i for all elements, or a
/// list with one function for each value. `constants` includes n.
rheology::Sequence sequence_of(const std::vector<base::Function>& functions,
                               const Constants& constants) {
  if (functions.size() == 1) {
    const base::Function function = functions.front().bound(constants);
    if (function.is_constant()) {
      return function(1.0);
    }
    return std::make_shared<const base::Function>(function);
  }
  std::vector<double> values;
  values.reserve(functions.size());
  for (const base::Function& function : functions) {
    values.push_back(function.bound(constants)(static_cast<double>(values.size() + 1)));
  }
  return values;
}

/// Returns the number of elements n, or 1 if the model has no parameter n. Throws UserError if n is
/// not a whole number from 1 to 10^8.
std::int64_t elements_of(const ModelParameters& parameters, const Constants& constants,
                         const std::map<std::string, double>& varied) {
  if (!parameters.elements) {
    return 1;
  }
  const auto other = varied.find(element_count);
  const Number number = other == varied.end() ? *parameters.elements : Number(other->second);
  const auto n = std::ranges::find(parameters.settings, element_count, &Setting::name);
  return with_origin(n->origin, [&] {
    constexpr std::int64_t most = 100000000;
    const std::int64_t count = number.whole(constants);
    if (count < 1 || count > most) {
      throw UserError(fmt::format("{}; must be a whole number from 1 to {}", count, most));
    }
    return count;
  });
}

/// Returns, as text, the length of the first list among `settings` that has one value for each
/// element. Returns an empty text if no parameter has such a list.
std::string counted_elements(const std::vector<Parameter>& parameters,
                             const std::vector<Setting>& settings) {
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const std::size_t count = split_list(settings[p].text).size();
    if (parameters[p].values == rheology::per_element && count > 1) {
      return std::to_string(count);
    }
  }
  return {};
}

}  // namespace

const rheology::CatalogueEntry& known_model(const std::string& name, const std::string& origin) {
  return *with_origin(origin, [&] { return &rheology::catalogue_entry(name); });
}

Names ModelParameters::constants() const {
  Names names;
  for (const auto& functions : values) {
    for (const base::Function& function : functions) {
      names.merge(function.constants());
    }
  }
  return names;
}

std::string ModelParameters::text(std::size_t p, const Constants& constants) const {
  std::vector<std::string> pieces;
  for (const base::Function& function : values[p]) {
    pieces.push_back(function.bound(constants).text());
  }
  return base::joined(pieces, ",");
}

ModelParameters model_parameters(const rheology::CatalogueEntry& model,
                                 const std::vector<Setting>& given, const Names& constants) {
  const rheology::ModelInfo& info = model.info;
  for (const Setting& setting : given) {
    with_origin(setting.origin, [&] { rheology::require_parameter(info, setting.name); });
  }
  const std::vector<Parameter> parameters = all_parameters(info);
  ModelParameters read{.model = &model, .settings = {}, .values = {}, .elements = {}};
  for (const auto& [name, meaning, range, values, preset] : parameters) {
    const auto match = std::ranges::find(given, name, &Setting::name);
    read.settings.push_back(
        match != given.end()
            ? *match
            : Setting{name, preset ? base::to_text(*preset) : "", "--set " + name});
  }
  Names names = constants;
  names.insert(element_count);
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    Setting& setting = read.settings[p];
    const bool is_count = setting.name == element_count;
    if (is_count && setting.text.empty()) {
      setting.text = counted_elements(parameters, read.settings);
      read.counts_lists = !setting.text.empty();
    }
    if (setting.text.empty()) {
      throw UserError(fmt::format("{}: missing; {}; give --set {}=VALUE", setting.origin,
                                  is_count ? "no list of values says how many elements there are"
                                           : info.name + " needs it: " + parameters[p].meaning,
                                  setting.name));
    }
    if (is_count) {
      read.elements = Number(setting.text, constants);
    }
    read.values.push_back(functions_of(setting, names));
  }
  return read;
}

ModelSpec model_spec(const ModelParameters& parameters, const Constants& constants,
                     const std::map<std::string, double>& varied) {
  ModelSpec spec{.model = parameters.model, .parameters = {}};
  const std::int64_t elements = elements_of(parameters, constants, varied);
  spec.parameters.elements = elements;
  const std::vector<Parameter> declared = all_parameters(spec.model->info);
  Constants all = constants;
  for (std::size_t p = 0; p < declared.size(); ++p) {
    const Parameter& parameter = declared[p];
    const auto other = varied.find(parameter.name);
    if (other != varied.end()) {
      spec.parameters.sequences.emplace(parameter.name, other->second);
    } else if (parameter.name != element_count) {
      // Every value may be an expression in n. n is the number of elements (1 if the model has no
      // parameter n) or, if larger, the fixed number of values of the parameter.
      all[element_count] = static_cast<double>(std::max(parameter.count(elements), elements));
      spec.parameters.sequences.emplace(parameter.name, sequence_of(parameters.values[p], all));
    }
  }
  return spec;
}

void check_model(const ModelSpec& spec) {
  constexpr std::int64_t most = std::int64_t{1} << 16;
  try {
    for (std::int64_t first = 0; first < spec.parameters.elements; first += most) {
      (void)rheology::build(spec, {first, std::min(most, spec.parameters.elements - first)});
    }
  } catch (const UserError& error) {
    if (!error.quantity().empty()) {
      throw;
    }
    throw UserError(std::string("--set: ") +
                    error.what());  // no quantity: several parameters together are at fault
  }
}

}  // namespace masing::cli
