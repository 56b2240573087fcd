#include "base/function.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/expression.hpp"
#include "base/limits.hpp"
#include "base/plain_range.hpp"
#include "base/text.hpp"

namespace masing::base {

namespace {

constexpr std::string_view points_prefix = "points:";

/// A word of a table as a number; its comma is the decimal comma.
std::optional<double> table_number(std::string word) {
  // A comma at an end separates.
  if (word.starts_with(',') || word.ends_with(',')) {
    return std::nullopt;
  }
  std::replace(word.begin(), word.end(), ',', '.');
  return to_number(word);
}

/// The words of a table's line: separated by semicolons or tabs; else by blanks, where that gives
/// numbers, which may have decimal commas; else by commas or blanks.
std::vector<std::string> table_words(const std::string& line) {
  const auto words_between = [](const std::string& text, char separator) {
    std::vector<std::string> words = split(text, separator);
    std::erase(words, "");
    return words;
  };
  for (const char separator : {';', '\t'}) {
    if (line.find(separator) != std::string::npos) {
      std::vector<std::string> words = words_between(line, separator);
      for (std::string& word : words) {
        word.resize(word.find_last_not_of(", ") + 1);  // of a comma beside the separator
      }
      return words;
    }
  }
  std::vector<std::string> words = words_between(line, ' ');
  const auto is_number = [](const std::string& word) { return table_number(word).has_value(); };
  if (words.size() > 1 && std::ranges::all_of(words, is_number)) {
    return words;
  }
  std::string parted = line;
  std::replace(parted.begin(), parted.end(), ',', ' ');
  return words_between(parted, ' ');
}

/// `value` of an expression at `argument`, unless a part of it overflows, as of exp(t)/exp(t) for a
/// large t: then its limit.
double or_limit(const Expression& expression, double argument, double value) {
  if (value - value == 0.0) [[likely]] {
    return value;
  }
  const Bounds found = bounds_of(expression.operations(), argument, argument);
  const double width = found.value.high - found.value.low;
  const double allowed = std::max(1e-9 * found.value.magnitude(), 1e-10);
  const bool is_known = found.smooth && width <= allowed;
  return is_known ? std::midpoint(found.value.low, found.value.high) : value;
}

}  // namespace

Function Function::of_points(std::string_view text, char line_end, const std::string& name) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  text.remove_prefix(text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
  Table table;
  int number = 0;
  for (const std::string& line : split(text, line_end)) {
    ++number;
    if (line.empty() || line.front() == '#') {
      continue;
    }
    const std::vector<std::string> words = table_words(line);
    const auto argument = words.size() == 2 ? table_number(words[0]) : std::nullopt;
    const auto value = words.size() == 2 ? table_number(words[1]) : std::nullopt;
    if (!argument || !value) {
      if (line_end == '\n' && table.arguments.empty() && !words.empty() &&
          !table_number(words[0])) {
        continue;
      }
      throw UserError(fmt::format("{} line {}: '{}' is not two finite numbers 'argument, value'",
                                  name, number, shortened(line, 60)));
    }
    if (!table.arguments.empty() && *argument <= table.arguments.back()) {
      throw UserError(
          fmt::format("{} line {}: argument {} does not follow {}; arguments must increase", name,
                      number, to_text(*argument), to_text(table.arguments.back())));
    }
    table.arguments.push_back(*argument);
    table.values.push_back(*value);
  }
  if (table.arguments.empty()) {
    throw UserError(name + " has no points; give at least one 'argument, value'");
  }
  std::string written;
  for (std::size_t i = 0; i < table.arguments.size(); ++i) {
    written += fmt::format("{}{} {}", i == 0 ? points_prefix : "; ", to_text(table.arguments[i]),
                           to_text(table.values[i]));
  }
  const Operation whole{.instruction = Instruction::table,
                        .table = std::make_shared<const Table>(std::move(table))};
  return Function(Expression(written, {whole}));
}

Function::Function(Expression expression)
    : expression_(std::make_shared<const Expression>(std::move(expression))) {}

Function::Function(std::string_view text, char variable, const Names& constants) {
  const std::string_view formula = trimmed(text);
  *this = formula.starts_with(points_prefix)
              ? of_points(formula.substr(points_prefix.size()), ';', "points:")
              : Function(Expression(std::string(formula), variable, constants));
}

Function Function::of_table(std::string_view lines, const std::string& path) {
  return of_points(lines, '\n', "table " + path);
}

Function::Function() {
  static const Function zero("0", 't');
  *this = zero;
}

Function Function::bound(const Constants& constants) const {
  return this->constants().empty() ? *this : Function(expression_->bound(constants));
}

std::vector<double> Function::kinks() const {
  std::vector<double> all;
  for (const Operation& operation : operations()) {
    if (operation.table) {
      const std::vector<double> before = std::exchange(all, {});
      std::ranges::set_union(before, operation.table->arguments, std::back_inserter(all));
    }
  }
  return all;
}

double Function::operator()(double argument) const {
  return or_limit(*expression_, argument, (*expression_)(argument));
}

void Function::evaluate(std::span<const double> arguments, std::span<double> values) const {
  values_of(operations(), arguments, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = or_limit(*expression_, arguments[i], values[i]);
  }
}

Bounds Function::bounds(double first, double last) const {
  return bounds_of(operations(), first, last);
}

Enclosure Function::range(double first, double last) const {
  const Enclosure range = plain_range(operations(), first, last);
  return range.is_finite() ? range : bounds(first, last).value;
}

Function Function::plus(double factor, const Function& other) const {
  std::vector<Operation> sum(operations().begin(), operations().end());
  sum.push_back({.number = factor});
  std::ranges::copy(other.operations(), std::back_inserter(sum));
  for (const char* sign : {"*", "+"}) {
    sum.push_back(operation_named(sign));
  }
  return Function(Expression("", std::move(sum)));
}

namespace {

struct Interval {
  double first;
  double last;
  double first_value;
  double last_value;

  [[nodiscard]] double change() const { return std::abs(last_value - first_value); }
  [[nodiscard]] double slope() const { return change() / (last - first); }
};

/// The quotients over an interval, and over the steepest of its halves and those beside it, of
/// that one's, …: a singularity may lie within, where the values at both ends agree.
Regularity look_closer(const Function& function, Interval at, double least, double most,
                       double largest_value) {
  std::vector<double> slopes{at.slope()};
  const auto is_resolved = [&] {
    const double size = std::max(std::abs(at.first), std::abs(at.last));
    return at.change() > 1024 * epsilon * largest_value &&
           at.last - at.first > 4096 * epsilon * size;
  };
  while (slopes.size() <= 64 && is_resolved()) {
    const double half = 0.5 * (at.last - at.first);
    Interval steepest = at;
    double slope = -1.0;
    double before = std::max(least, at.first - half);
    double value_before = function(before);
    for (const double s : {at.first, at.first + half, at.last, std::min(most, at.last + half)}) {
      const double value = function(s);
      if (!std::isfinite(value) || !std::isfinite(value_before)) {
        return {.smoothness = Smoothness::not_finite, .place = s};
      }
      const Interval part{before, s, value_before, value};
      if (s > before && part.slope() > slope) {
        steepest = part;
        slope = part.slope();
      }
      before = s;
      value_before = value;
    }
    at = steepest;
    slopes.push_back(slope);
  }
  Regularity found{.place = std::abs(at.first) < std::abs(at.last) ? at.first : at.last,
                   .slope = *std::ranges::max_element(slopes)};
  constexpr std::size_t fewest = 10;
  const std::size_t last = slopes.size() - 1;
  const std::size_t middle = last / 2;
  if (last < fewest || slopes[middle] == 0.0) {
    return found;
  }
  const double growth =
      std::log2(slopes[last] / slopes[middle]) / static_cast<double>(last - middle);
  // Of a feature that is only just resolved the quotients grow less and less.
  const std::size_t late = middle + (last - middle) / 2;
  const double growth_late =
      std::log2(slopes[last] / slopes[late]) / static_cast<double>(last - late);
  if (std::min(growth, growth_late) > 0.02 && growth_late > 0.6 * growth) {
    found.smoothness = growth > 0.95 ? Smoothness::jump : Smoothness::unbounded_slope;
    found.exponent = growth > 0.95 ? 0.0 : 1.0 - growth;
  }
  return found;
}

}  // namespace

Regularity regularity(const Function& function, double first, double last) {
  if (function.is_constant() && std::isfinite(function(first))) {
    return {.place = first};
  }
  constexpr int even = 4096;
  std::vector<double> places;
  for (int i = 0; i <= even; ++i) {
    places.push_back(first + (last - first) * (static_cast<double>(i) / even));
  }
  std::ranges::copy_if(function.kinks(), std::back_inserter(places),
                       [&](double kink) { return kink > first && kink < last; });
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<Interval> intervals;
  double largest_value = 0.0;
  Interval next{};
  for (const double s : places) {
    next = {next.last, s, next.last_value, function(s)};
    if (!std::isfinite(next.last_value)) {
      return {.smoothness = Smoothness::not_finite, .place = s};
    }
    largest_value = std::max(largest_value, std::abs(next.last_value));
    if (s > first) {
      intervals.push_back(next);
    }
  }
  std::vector<Interval> closer{intervals.front(), intervals.back()};
  std::vector<std::pair<double, std::size_t>> by_slope;
  std::vector<std::pair<double, std::size_t>> by_bend;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const double slope = intervals[i].slope();
    by_slope.emplace_back(slope, i);
    by_bend.emplace_back(
        i + 1 < intervals.size() ? std::abs(intervals[i + 1].slope() - slope) : 0.0, i);
  }
  constexpr std::size_t looks = 16;
  for (auto* ranking : {&by_slope, &by_bend}) {
    std::ranges::sort(*ranking, std::ranges::greater());
    for (const auto& [size, i] : std::span(*ranking).first(std::min(looks, intervals.size()))) {
      closer.push_back(intervals[i]);
      if (ranking == &by_bend && i + 1 < intervals.size()) {
        closer.push_back(intervals[i + 1]);
      }
    }
  }
  Regularity worst{.place = first, .slope = -1.0};
  for (const Interval& interval : closer) {
    const Regularity found = look_closer(function, interval, first, last, largest_value);
    if (std::pair(found.smoothness, found.slope) > std::pair(worst.smoothness, worst.slope)) {
      worst = found;
    }
  }
  return worst;
}

}  // namespace masing::base
