#include "cli/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/expression.hpp"

namespace masing::cli {

using base::UserError;
using rheology::element_count;
using rheology::ModelInfo;
using rheology::ModelSpec;
using rheology::Parameter;

namespace {

constexpr std::int64_t most_elements = 100000000;

[[noreturn]] void refuse(const Setting& setting, const std::string& mistake) {
  throw UserError(setting.origin + ": " + mistake);
}

/// Calls `work`, whose mistakes are of the parameters that `settings` gave.
template <typename Work>
void with_origins(const std::vector<Setting>& settings, const Work& work) {
  try {
    work();
  } catch (const rheology::ParameterError& error) {
    refuse(*std::ranges::find(settings, error.parameter(), &Setting::parameter), error.mistake());
  } catch (const UserError& error) {
    throw UserError(std::string("--set: ") + error.what());  // of no single one
  }
}

/// The pieces of "0.5, 2/3, max(1,i)"; one where the text is no list.
std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces(1);
  int depth = 0;  // of parentheses: the commas in them are of functions
  for (const char letter : text) {
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    if (letter == ',' && depth == 0) {
      pieces.emplace_back();
    } else {
      pieces.back() += letter;
    }
  }
  return pieces;
}

std::string no_table(const std::string& path) {
  throw UserError("table:" + path + " is for functions; give a list or an expression");
}

/// A text of a setting as a function of i; `constants` with n.
base::Function expression(const Setting& setting, const std::string& text,
                          const Constants& constants) {
  return placed(setting.origin + ": ",
                [&] { return base::Function(text, 'i', no_table, constants); });
}

/// The values of a parameter; `constants` with n, what an expression means by it.
rheology::Sequence sequence_of(const Setting& setting, const Constants& constants) {
  const std::vector<std::string> pieces = pieces_of(setting.text);
  if (pieces.size() == 1) {
    if (const auto value = base::to_number(setting.text)) {
      return *value;
    }
    base::Function function = expression(setting, setting.text, constants);
    if (function.is_constant()) {
      return function(1.0);
    }
    return std::make_shared<const base::Function>(std::move(function));
  }
  std::vector<double> values;
  for (const std::string& piece : pieces) {
    const std::size_t i = values.size() + 1;
    if (base::trimmed(piece).empty()) {
      refuse(setting,
             fmt::format("value {} of the list is empty; give a number or an expression in i and n",
                         i));
    }
    const auto value = base::to_number(piece);
    values.push_back(value ? *value
                           : expression(setting, piece, constants)(static_cast<double>(i)));
  }
  return values;
}

/// n, 1 where the model has none.
std::int64_t elements_of(const std::vector<Setting>& settings, const Constants& constants) {
  const auto n = std::ranges::find(settings, element_count, &Setting::parameter);
  if (n == settings.end()) {
    return 1;
  }
  std::int64_t count = 0;
  try {
    count = integer(n->text, constants);
  } catch (const UserError&) {
    count = 0;
  }
  if (count < 1 || count > most_elements) {
    refuse(*n, fmt::format("'{}'; must be a whole number from 1 to {}", n->text, most_elements));
  }
  return count;
}

/// The length of the first list of values of elements, if there is one.
std::string counted_elements(const std::vector<Parameter>& parameters,
                             const std::vector<Setting>& settings) {
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const std::size_t count = pieces_of(settings[p].text).size();
    if (parameters[p].values == rheology::per_element && count > 1) {
      return std::to_string(count);
    }
  }
  return {};
}

}  // namespace

const rheology::CatalogueEntry& known_model(const std::string& name, const std::string& origin) {
  return *placed(origin + ": ", [&] { return &rheology::catalogue_entry(name); });
}

std::vector<Setting> completed_settings(const ModelInfo& info, const std::vector<Setting>& given) {
  with_origins(given, [&] {
    for (const Setting& setting : given) {
      rheology::require_parameter(info, setting.parameter);
    }
  });
  const std::vector<Parameter> parameters = all_parameters(info);
  std::vector<Setting> settings;
  for (const auto& [name, meaning, range, values, preset] : parameters) {
    const auto found = std::ranges::find(given, name, &Setting::parameter);
    settings.push_back(found != given.end()
                           ? *found
                           : Setting{name, preset ? base::to_text(*preset) : "", "--set " + name});
  }
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    Setting& setting = settings[p];
    const bool is_count = setting.parameter == element_count;
    if (is_count && setting.text.empty()) {
      setting.text = counted_elements(parameters, settings);
    }
    if (setting.text.empty()) {
      refuse(setting, fmt::format("missing; {}; give --set {}=VALUE",
                                  is_count ? "no list of values says how many elements there are"
                                           : info.name + " needs it: " + parameters[p].meaning,
                                  setting.parameter));
    }
  }
  return settings;
}

ModelSpec model_spec(const std::string& model, const std::vector<Setting>& settings,
                     const Constants& constants) {
  ModelSpec spec{.model = &known_model(model, "--model"), .parameters = {}};
  spec.parameters.elements = elements_of(settings, constants);
  for (const Parameter& parameter : all_parameters(spec.model->info)) {
    if (parameter.name != element_count) {
      // A single value may depend on n, too; a list of fixed length is its own n.
      const std::int64_t n =
          std::max(parameter.count(spec.parameters.elements), spec.parameters.elements);
      const auto given = std::ranges::find(settings, parameter.name, &Setting::parameter);
      Constants all = constants;
      all[element_count] = static_cast<double>(n);
      spec.parameters.sequences.emplace(parameter.name, sequence_of(*given, all));
    }
  }
  return spec;
}

void check_model(const ModelSpec& spec, const std::vector<Setting>& settings) {
  constexpr std::int64_t most = std::int64_t{1} << 16;
  with_origins(settings, [&] {
    for (std::int64_t first = 0; first < spec.parameters.elements; first += most) {
      (void)rheology::build(spec, {first, std::min(most, spec.parameters.elements - first)});
    }
  });
}

namespace {

std::string indented(const std::string& lines) {
  std::string text;
  for (const auto& line : base::split(lines, '\n')) {
    text += "  " + line + "\n";
  }
  return text;
}

const char* range_text(rheology::Range range) {
  switch (range) {
    case rheology::Range::positive:
      return ", > 0";
    case rheology::Range::not_negative:
      return ", >= 0";
    default:
      return "";
  }
}

std::string line_of(const Parameter& parameter) {
  const auto& [name, meaning, range, values, preset] = parameter;
  const std::string list = values == 1                       ? ""
                           : values == rheology::per_element ? "; list of n"
                                                             : fmt::format("; list of {}", values);
  const std::string given = name == element_count ? "; may be left out beside a list"
                            : preset              ? " [" + base::to_text(*preset) + "]"
                                                  : "; required";
  return fmt::format("  {:<10}  {}{}{}{}\n", name, meaning, range_text(range), list, given);
}

/// The options of a slab model that say what it is, not how it is solved or written.
std::string slab_options(ModelKind kind) {
  std::string text;
  const Configuration presets;
  for (const auto& option : option_table()) {
    if (!takes(kind, option) || takes(ModelKind::finite, option)) {
      continue;
    }
    const std::string preset = option.get(presets);
    text += fmt::format("  {:<14}  {}{}\n", "--" + option.name, option.help,
                        preset.empty() ? "" : " [" + preset + "]");
  }
  return text;
}

std::string state_text(const ModelInfo& info) {
  std::vector<std::string> names;
  for (const auto& [name, extent, start] : info.state) {
    names.push_back(extent == rheology::Extent::each ? fmt::format("{0}1 … {0}n", name) : name);
  }
  return base::joined(names, " ");
}

/// The dimension of X in words, "5" or "n + 2": the columns that have an equation of their own.
std::string dimension_text(const ModelInfo& info) {
  std::int64_t each = 0;
  std::int64_t ones = 0;
  for (const auto& [name, extent, start] : info.state) {
    const std::int64_t one = start == rheology::Start::given ? 1 : 0;
    (extent == rheology::Extent::each ? each : ones) += one;
  }
  if (each == 0) {
    return fmt::format("{}", ones);
  }
  return (each == 1 ? "n" : fmt::format("{}n", each)) + (ones ? fmt::format(" + {}", ones) : "");
}

}  // namespace

std::string catalogue_text() {
  std::string text =
      "The models; masing models NAME tells what the parameters mean.\n"
      "beta(v) is 0 for |v| < 1 and any number with the sign of v for |v| = 1 (a St-Venant element "
      "at "
      "its\nbound); sigma(v) is the sign of v, and any number in [-1, 1] for v = 0 (dry friction); "
      "A(W) is\nbeta(g2/alpha2) x beta(g3/alpha3) x beta(g1/alpha1).\n";
  for (const auto& [info, make] : rheology::catalogue()) {
    text += fmt::format("\n{}: {}; order {}\n{}", info.name, info.title, info.order,
                        indented(info.equation));
    std::vector<std::string> names;
    for (const Parameter& parameter : all_parameters(info)) {
      names.push_back(parameter.name +
                      (parameter.preset ? "=" + base::to_text(*parameter.preset) : ""));
    }
    text += names.empty() ? fmt::format("  options: masing models {}\n", info.name)
                          : fmt::format("  parameters: {}\n", base::joined(names, " "));
  }
  return text;
}

std::string model_text(const ModelInfo& info) {
  std::string text = fmt::format("{}: {}\n\n{}", info.name, info.title, indented(info.equation));
  if (info.state.empty()) {
    text += "\noptions\n" + slab_options(kind_of(info.name));
  } else {
    text += "\nparameters, --set PARAMETER=VALUE\n";
    for (const Parameter& parameter : all_parameters(info)) {
      text += line_of(parameter);
    }
    text += fmt::format(
        "\nthe form X' + M ∂phi(X) ∋ G(t, X); psi[a,b](v) is 0 for a <= v <= b, else infinite\n"
        "  dimension   {}\n  phi(X)      {}\n  M           {}\n",
        dimension_text(info), info.phi, info.matrix);
    text += "\nstate           " + state_text(info);
  }
  return text + fmt::format("\nexpected order  {}\nsource          {}\n", info.order, info.source);
}

}  // namespace masing::cli
