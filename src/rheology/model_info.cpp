#include "rheology/model_info.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace masing::rheology {

namespace {

bool is_within(Range range, double value) {
  return std::isfinite(value) && (range != Range::positive || value > 0) &&
         (range != Range::not_negative || value >= 0);
}

const char* rule(Range range) {
  return range == Range::positive       ? "must be > 0"
         : range == Range::not_negative ? "must be >= 0"
                                        : "must be finite";
}

/// Returns the values of a sequence at the indices `held`, [held.size], with n inserted.
std::vector<double> sequence_values(const Sequence& sequence, const base::CellRange& held,
                                    std::int64_t n) {
  if (const auto* const one = std::get_if<double>(&sequence)) {
    return std::vector<double>(static_cast<std::size_t>(held.size), *one);
  }
  if (const auto* const all = std::get_if<std::vector<double>>(&sequence)) {
    const auto first = all->begin() + held.first;
    return {first, first + held.size};
  }
  const base::Function function = std::get<std::shared_ptr<const base::Function>>(sequence)->bound(
      {{element_count, static_cast<double>(n)}});
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(held.size));
  for (std::int64_t i = held.first + 1; i <= held.first + held.size; ++i) {
    values.push_back(function(static_cast<double>(i)));
  }
  return values;
}

}  // namespace

ParameterValues::ParameterValues(const std::vector<Parameter>& declared, const Parameters& given,
                                 const base::CellRange& held) {
  for (const Parameter& parameter : declared) {
    const std::string& name = parameter.name;
    if (name == element_count) {
      continue;
    }
    const auto given_values = given.sequences.find(name);
    const Sequence sequence =
        given_values != given.sequences.end() ? given_values->second : Sequence(*parameter.preset);
    const std::int64_t total = parameter.count(given.elements);
    const auto* const one_by_one = std::get_if<std::vector<double>>(&sequence);
    if (one_by_one != nullptr && static_cast<std::int64_t>(one_by_one->size()) != total) {
      throw base::UserError(
          name, fmt::format("{} has {} values; must be ", name, one_by_one->size()) +
                    (total == 1 ? "one number" : fmt::format("{}, or one for all", total)));
    }
    const base::CellRange here = parameter.values == per_element ? held : base::CellRange{0, total};
    // n is the number of elements or, if larger, the fixed number of values of the parameter.
    const std::int64_t n = std::max(total, given.elements);
    List list{.total = total, .first = here.first, .values = sequence_values(sequence, here, n)};
    const auto bad = std::ranges::find_if_not(
        list.values, [&](double value) { return is_within(parameter.range, value); });
    if (bad != list.values.end()) {
      const auto i = static_cast<std::size_t>(bad - list.values.begin());
      throw base::UserError(
          name, list.indexed(name, i) + " = " + base::to_text(*bad) + "; " + rule(parameter.range));
    }
    lists_.emplace(name, std::move(list));
  }
}

std::string ParameterValues::List::indexed(const std::string& name, std::size_t i) const {
  return total == 1 ? name : fmt::format("{}_{}", name, first + static_cast<std::int64_t>(i) + 1);
}

void ParameterValues::require_within(const std::string& name, const std::vector<double>& bounds,
                                     const std::string& bound) const {
  // A bound may be a computed quotient. A value that is meant to equal it may then exceed it by a
  // rounding error.
  constexpr double rounding = 1 + 4 * base::epsilon;
  const List& list = lists_.at(name);
  for (std::size_t i = 0; i < list.values.size(); ++i) {
    if (!(std::abs(list.values[i]) <= rounding * bounds[i])) {
      throw base::UserError(name, list.indexed(name, i) + " = " + base::to_text(list.values[i]) +
                                      "; must lie within +-" + list.indexed(bound, i) + " = +-" +
                                      base::to_text(bounds[i]));
    }
  }
}

std::vector<Parameter> all_parameters(const ModelInfo& info) {
  static const std::map<char, std::string> meanings{{'x', "initial position"},
                                                    {'y', "initial velocity"},
                                                    {'u', "initial elongation"},
                                                    {'v', "initial friction force"},
                                                    {'g', "initial friction force"}};
  std::vector<Parameter> all = info.parameters;
  std::map<char, std::size_t> places;
  for (const auto& [name, size, start] : info.state) {
    const char letter = name.front();
    if (start == Start::follows) {
      continue;
    }
    const auto [place, is_new] = places.try_emplace(letter, all.size());
    if (is_new) {
      all.push_back({.name = std::string{letter, '0'},
                     .meaning = meanings.at(letter) + " " + name,
                     .values = size == GroupSize::each ? per_element : 1,
                     .preset = 0.0});
    } else {
      ++all[place->second].values;
      all[place->second].meaning += ", " + name;
    }
  }
  return all;
}

void require_parameter(const ModelInfo& info, const std::string& name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : all_parameters(info)) {
    names.push_back(parameter.name);
  }
  if (std::ranges::find(names, name) == names.end()) {
    throw base::UserError(name, fmt::format("'{}' is not a parameter of {}; it has {}", name,
                                            info.name, base::joined(names, ", ")));
  }
}

std::vector<double> initial_state(const ModelInfo& info, const ParameterValues& values) {
  std::vector<double> state;
  std::map<char, std::size_t> used;
  for (const auto& [name, size, start] : info.state) {
    if (start == Start::follows) {
      state.push_back(0.0);
      continue;
    }
    const std::vector<double>& given = values.list(std::string{name.front(), '0'});
    std::size_t& first = used[name.front()];
    const std::size_t count = size == GroupSize::one ? 1 : given.size();
    const auto begin = given.begin() + static_cast<std::ptrdiff_t>(first);
    state.insert(state.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    first += count;
  }
  return state;
}

std::int64_t StateLayout::size() const {
  std::int64_t columns = 0;
  for (const auto& group : groups) {
    columns += group.size == GroupSize::one ? 1 : elements;
  }
  return columns;
}

MassColumns StateLayout::mass_columns() const {
  MassColumns columns;
  std::int64_t end = 0;
  for (const auto& [name, size, start] : groups) {
    end += size == GroupSize::one ? 1 : elements;
    if (name.front() == 'x') {
      columns.x = end - 1;
    } else if (name.front() == 'y') {
      columns.y = end - 1;
    }
  }
  return columns;
}

std::string StateLayout::names(std::size_t longest) const {
  const std::size_t share = longest / groups.size();
  std::vector<std::string> parts;
  for (const auto& [name, size, start] : groups) {
    if (size == GroupSize::one) {
      parts.push_back(name);
      continue;
    }
    std::size_t used = 0;
    for (std::int64_t i = 1; i < elements && used < share; ++i) {
      parts.push_back(used + 16 < share ? name + std::to_string(i) : "…");
      used += used + 16 < share ? parts.back().size() + 1 : share;
    }
    parts.push_back(name + std::to_string(elements));
  }
  return base::joined(parts, " ");
}

}  // namespace masing::rheology
