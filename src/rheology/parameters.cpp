#include "rheology/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/function.hpp"
#include "base/text.hpp"

namespace masing::rheology {

namespace {

constexpr std::int64_t most_elements = 100000000;

/// The pieces of "0.5, 2/3, max(1,i)"; none where the text is no list of two or more.
std::optional<std::vector<std::string>> list_pieces(const std::string& text) {
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
  return pieces.size() < 2 ? std::nullopt : std::optional(pieces);
}

std::string no_tables(const std::string& path) {
  throw base::UserError("table:" + path + " is for functions; give a list or an expression");
}

/// The i of the element at a place counted from 0.
double element(std::int64_t place) {
  return static_cast<double>(place + 1);
}

bool within(Range range, double value) {
  return std::isfinite(value) && (range != Range::positive || value > 0) &&
         (range != Range::not_negative || value >= 0);
}

const char* rule(Range range) {
  switch (range) {
    case Range::positive:
      return "must be > 0";
    case Range::not_negative:
      return "must be >= 0";
    default:
      return "must be finite";
  }
}

}  // namespace

Values::Values(const std::string& model, const std::vector<Parameter>& parameters,
               const std::vector<cli::Setting>& settings, const Part& part) {
  refuse_strangers(model, parameters, settings);
  for (const Parameter& parameter : parameters) {
    const auto given = std::ranges::find(settings, parameter.name, &cli::Setting::parameter);
    settings_.push_back(given != settings.end() ? *given
                                                : cli::Setting{parameter.name, parameter.preset,
                                                               "--set " + parameter.name});
  }
  find_count(parameters);
  part_ = part(count_);
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const Parameter& parameter = parameters[p];
    if (settings_[p].text.empty()) {
      refuse(parameter.name, "missing; " + model + " needs it: " + parameter.meaning,
             "give --set " + parameter.name + "=VALUE");
    }
    const bool each = parameter.values == per_element;
    const std::int64_t total = each ? count_ : parameter.values;
    lists_.push_back({total, each ? part_ : whole(total), {}});
    evaluate(parameter, lists_.back());
    require_range(parameter, lists_.back());
  }
}

const cli::Setting& Values::setting(const std::string& name) const {
  return *std::ranges::find(settings_, name, &cli::Setting::parameter);
}

std::string Values::List::indexed(const std::string& name, std::size_t i) const {
  return total == 1 ? name
                    : name + "_" + base::to_text(held.first + static_cast<std::int64_t>(i) + 1);
}

const Values::List& Values::list_of(const std::string& name) const {
  return lists_[static_cast<std::size_t>(&setting(name) - settings_.data())];
}

const std::vector<double>& Values::list(const std::string& name) const {
  return list_of(name).values;
}

void Values::refuse(const std::string& name, const std::string& wrong,
                    const std::string& right) const {
  throw base::UserError(setting(name).origin + ": " + wrong + "; " + right);
}

void Values::require_within(const std::string& name, const std::vector<double>& bounds,
                            const std::string& bound) const {
  // A bound may be a quotient, and a value on it a rounding away.
  constexpr double rounding = 1 + 4 * std::numeric_limits<double>::epsilon();
  const List& list = list_of(name);
  for (std::size_t i = 0; i < list.values.size(); ++i) {
    if (!(std::abs(list.values[i]) <= rounding * bounds[i])) {
      refuse(name, list.indexed(name, i) + " = " + base::to_text(list.values[i]),
             "must lie within +-" + list.indexed(bound, i) + " = +-" + base::to_text(bounds[i]));
    }
  }
}

void Values::refuse_strangers(const std::string& model, const std::vector<Parameter>& parameters,
                              const std::vector<cli::Setting>& given) const {
  std::vector<std::string> names;
  std::ranges::transform(parameters, std::back_inserter(names), &Parameter::name);
  const auto stranger = std::ranges::find_if(given, [&](const cli::Setting& one) {
    return std::ranges::find(names, one.parameter) == names.end();
  });
  if (stranger != given.end()) {
    throw base::UserError(stranger->origin + ": '" + stranger->parameter +
                          "' is not a parameter of " + model + "; it has " +
                          base::joined(names, ", "));
  }
}

/// n as given, else the length of a list.
void Values::find_count(const std::vector<Parameter>& parameters) {
  const auto declared = std::ranges::find(parameters, element_count, &Parameter::name);
  if (declared == parameters.end()) {
    return;
  }
  auto& n = settings_[static_cast<std::size_t>(declared - parameters.begin())];
  for (std::size_t p = 0; p < parameters.size() && n.text.empty(); ++p) {
    const auto pieces = list_pieces(settings_[p].text);
    if (parameters[p].values == per_element && pieces) {
      n.text = base::to_text(static_cast<std::int64_t>(pieces->size()));
    }
  }
  if (n.text.empty()) {
    refuse(element_count, "missing; no list of values says how many elements there are",
           "give --set n=VALUE");
  }
  const auto count = base::to_integer(n.text);
  if (!count || *count < 1 || *count > most_elements) {
    refuse(element_count, "'" + n.text + "'",
           "must be a whole number from 1 to " + base::to_text(most_elements));
  }
  count_ = *count;
}

void Values::evaluate(const Parameter& parameter, List& list) const {
  const std::string& text = setting(parameter.name).text;
  list.values.reserve(static_cast<std::size_t>(list.held.size));
  if (const auto pieces = list_pieces(text)) {
    if (static_cast<std::int64_t>(pieces->size()) != list.total) {
      refuse(parameter.name, parameter.name + " has " + std::to_string(pieces->size()) + " values",
             list.total == 1 ? "must be one number"
                             : "must be " + base::to_text(list.total) + ", or one for all");
    }
    for (std::int64_t i = 0; i < list.held.size; ++i) {
      const std::int64_t place = list.held.first + i;
      const std::string& piece = (*pieces)[static_cast<std::size_t>(place)];
      if (base::trimmed(piece).empty()) {
        refuse(parameter.name, "value " + base::to_text(place + 1) + " of the list is empty",
               "give a number or an expression in i and n");
      }
      const auto value = base::to_number(piece);
      list.values.push_back(value ? *value : expression(parameter, piece, list)(element(place)));
    }
    return;
  }
  const base::Function value = expression(parameter, text, list);
  if (value.is_constant()) {
    list.values.assign(static_cast<std::size_t>(list.held.size), value(1.0));
  }
  for (auto i = static_cast<std::int64_t>(list.values.size()); i < list.held.size; ++i) {
    list.values.push_back(value(element(list.held.first + i)));
  }
}

base::Function Values::expression(const Parameter& parameter, const std::string& text,
                                  const List& list) const {
  try {
    // A single value may depend on n, too; a list of fixed length is its own n.
    const auto n = static_cast<double>(std::max(list.total, count_));
    return {text, 'i', no_tables, {{element_count, n}}};
  } catch (const base::UserError& mistake) {
    throw base::UserError(setting(parameter.name).origin + ": " + mistake.what());
  }
}

void Values::require_range(const Parameter& parameter, const List& list) const {
  const auto bad = std::ranges::find_if_not(
      list.values, [&](double value) { return within(parameter.range, value); });
  if (bad != list.values.end()) {
    const auto i = static_cast<std::size_t>(bad - list.values.begin());
    refuse(parameter.name, list.indexed(parameter.name, i) + " = " + base::to_text(*bad),
           rule(parameter.range));
  }
}

}  // namespace masing::rheology
