#include "base/periodicity.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>

#include "base/limits.hpp"

namespace masing::base {

namespace {

// The largest allowed number of breaks, which is more than any run could handle. It also keeps the
// number of corners of a wave from overflowing an int.
constexpr double most_breaks = 1e7;

/// A periodic function f(x) of the expression language. If f is a wave (triangle, square or
/// sawtooth), f is not smooth at x = first_corner + j·spacing for every integer j. The spacing of
/// sin and cos, which are smooth, is infinite.
struct Repeating {
  std::string_view name;
  double period;
  double first_corner = 0.0;
  double spacing = infinity;

  [[nodiscard]] bool is_wave() const { return spacing < infinity; }
};
constexpr std::array all_repeating{
    Repeating{"sin", 2 * std::numbers::pi}, Repeating{"cos", 2 * std::numbers::pi},
    Repeating{"triangle", 1.0, 0.25, 0.5}, Repeating{"square", 1.0, 0.0, 0.5},
    Repeating{"sawtooth", 1.0, 0.5, 1.0}};

/// Returns the periodic function that an operation applies, or null if it applies none.
const Repeating* repeating(const Operation& operation) {
  const auto* const entry = std::ranges::find(all_repeating, operation.name(), &Repeating::name);
  return entry == all_repeating.end() ? nullptr : entry;
}

/// A wave that occurs in an expression of t; the argument of the wave is slope·t + offset if
/// `is_affine`.
struct Wave {
  const Repeating* function;
  bool is_affine;
  double slope;
  double offset;
};

/// Returns the name of the first operation that is listed in `names`, in the form for messages:
/// "abs()" or "'<'". The result is empty if there is no such operation. The listed operations are
/// not smooth everywhere; waves are not among them.
std::string not_smooth_part(std::span<const Operation> operations) {
  constexpr std::array<std::string_view, 17> names{
      "abs", "min", "max", "sign", "rint", "tan", "asin", "acos", "<",
      ">",   "<=",  ">=",  "==",   "!=",   "&&",  "||",   "?"};
  const auto part = std::ranges::find_first_of(operations, names, {}, &Operation::name);
  if (part == operations.end()) {
    return {};
  }
  const bool is_sign = std::isalpha(static_cast<unsigned char>(part->name().front())) == 0;
  return is_sign ? fmt::format("'{}'", part->name()) : fmt::format("{}()", part->name());
}

/// A part of an expression of t. If `is_known`, its value is slope·t + f(t), where f is a constant
/// or is composed of periodic functions with these `frequencies`.
struct Subexpression {
  std::size_t first = 0;  ///< the index of the first operation of the part
  bool is_known = true;   ///< whether the value has the form slope·t + f(t)
  double slope = 0.0;
  std::vector<double> frequencies{};

  [[nodiscard]] bool is_level() const { return is_known && slope == 0.0; }
  [[nodiscard]] bool is_affine() const { return is_known && frequencies.empty(); }
  [[nodiscard]] bool is_constant() const { return is_level() && frequencies.empty(); }
};

/// Returns the value at t = 0 of the part of an expression that consists of the operations
/// first..end-1.
double at_0(std::span<const Operation> operations, std::size_t first, std::size_t end) {
  return value_of(operations.subspan(first, end - first), 0.0);
}

/// Returns the slope of the result of operation i if all operands have the form slope·t + f(t) of a
/// Subexpression. Returns nothing if the operation does not keep this form, as in t*t.
std::optional<double> slope_after(std::span<const Operation> operations, std::size_t i,
                                  std::span<const Subexpression> operands) {
  const Operation& operation = operations[i];
  const std::string_view name = operation.name();
  if (operation.instruction == Instruction::variable) {
    return 1.0;
  }
  if (name == "(-)") {
    return -operands[0].slope;
  }
  if (name == "+" || name == "-") {
    return operation.function->value_of_two(operands[0].slope, operands[1].slope);
  }
  if (std::ranges::all_of(operands, &Subexpression::is_level) ||
      (repeating(operation) != nullptr && operands[0].is_known)) {
    return 0.0;
  }
  if ((name == "*" || name == "/") && operands[1].is_constant()) {
    return operation.function->value_of_two(operands[0].slope,
                                            at_0(operations, operands[1].first, i));
  }
  if (name == "*" && operands[0].is_constant()) {
    return at_0(operations, operands[0].first, operands[1].first) * operands[1].slope;
  }
  return std::nullopt;
}

/// What repeats in an expression of t. A table of points counts as a constant here.
struct Repetition {
  std::vector<Wave> waves;
  /// The frequencies, 1/period, of the periodic functions in the expression; every common period of
  /// these functions is a period of the expression, apart from tables. Empty if the value of the
  /// expression does not have the form f(t) of Subexpression, because t also occurs outside of
  /// periodic functions.
  std::optional<std::vector<double>> frequencies;
};

/// Determines the slope and the frequencies of each part of an expression of t (Subexpression), and
/// lists the waves in the expression.
Repetition repetition(std::span<const Operation> operations) {
  Repetition found;
  const auto combined = [&](const Operation& operation, std::span<const Subexpression> operands) {
    const auto i = static_cast<std::size_t>(&operation - operations.data());
    const Repeating* const function = repeating(operation);
    const auto slope = slope_after(operations, i, operands);
    Subexpression whole{
        .first = operands.empty() ? i : operands[0].first,
        .is_known = slope && std::ranges::all_of(operands, &Subexpression::is_known),
        .slope = slope.value_or(0.0)};
    for (const Subexpression& operand : operands) {
      std::ranges::copy(operand.frequencies, std::back_inserter(whole.frequencies));
      if (function != nullptr && !operand.is_level()) {
        whole.frequencies.push_back(std::abs(operand.slope) / function->period);
      }
    }
    if (function != nullptr && function->is_wave()) {
      const Subexpression& argument = operands[0];
      found.waves.push_back({function, argument.is_affine(), argument.slope,
                             argument.is_affine() ? at_0(operations, argument.first, i) : 0.0});
    }
    return whole;
  };
  const auto whole = evaluate_on_stack<Subexpression>(operations, combined);
  if (whole.is_level()) {
    found.frequencies = whole.frequencies;
  }
  return found;
}

[[noreturn]] void refuse(const std::string& quantity, const std::string& what) {
  throw UserError(quantity, "it uses " + what +
                                ", which is not smooth everywhere; give the times where it is "
                                "not as breaks \"t,t,...\"");
}

void add_breaks(const std::string& quantity, const Wave& wave, double final_time,
                std::vector<double>& times) {
  const auto& [name, period, first, spacing] = *wave.function;
  const double end = wave.offset + wave.slope * final_time;
  const double least = std::min(wave.offset, end);
  const double most = std::max(wave.offset, end);
  if (!((most - least) / spacing + static_cast<double>(times.size()) <= most_breaks)) {
    throw UserError(quantity,
                    fmt::format("with {}() it has more than 10^7 corners in [0, T]; this needs a "
                                "slower one",
                                name));
  }
  const double first_corner = std::ceil((least - first) / spacing);
  const double corners = wave.slope == 0.0 ? 0.0 : (most - least) / spacing + 1.0;
  // The loop counts the corners. If the offset is large, successive corners may be rounded to the
  // same number, and a loop that ends when a corner exceeds `most` might not end.
  for (int i = 0; i < corners; ++i) {
    const double corner = first + (first_corner + i) * spacing;
    if (corner <= most) {
      times.push_back((corner - wave.offset) / wave.slope);
    }
  }
}

/// Returns whether a table repeats with this period from t = 0 to `final_time`; of this interval,
/// at most the first `horizon` periods are compared. As a table is linear between its points, it
/// suffices to compare its values at t and t + period for those t where one of the two is the
/// argument of a point, and for the first and the last t that are examined.
bool repeats(const PointTable& table, double period, double final_time) {
  const double last = std::min(final_time, horizon * period) - period;
  std::vector<double> times{0.0, last};
  for (const double kink : table.arguments) {
    times.insert(times.end(), {kink, kink - period});
  }
  std::erase_if(times, [&](double t) { return t < 0.0 || t > last; });
  double largest = 0.0;
  double difference = 0.0;
  for (const double t : times) {
    largest = std::max(largest, std::abs(table(t)));
    difference = std::max(difference, std::abs(table(t + period) - table(t)));
  }
  return difference <= 1e-9 * largest;
}

}  // namespace

std::vector<double> breaks(const std::vector<std::pair<std::string, Function>>& functions,
                           double final_time, std::span<const double> given) {
  std::vector<double> times(given.begin(), given.end());
  for (const auto& [quantity, function] : functions) {
    std::ranges::copy(function.kinks(), std::back_inserter(times));
    if (const std::string part = not_smooth_part(function.operations());
        given.empty() && !part.empty()) {
      refuse(quantity, part);
    }
    const Repetition found = repetition(function.operations());
    for (const Wave& wave : found.waves) {
      if (wave.is_affine) {
        add_breaks(quantity, wave, final_time, times);
      } else if (given.empty()) {
        refuse(quantity, fmt::format("{}() of what is not a*t+b", wave.function->name));
      }
    }
  }
  std::erase_if(times, [&](double t) { return !(t > 0.0 && t < final_time); });
  std::ranges::sort(times);
  // If two functions have the same corner, the two computed times may differ by rounding errors.
  const double same = 1e-13 * final_time;
  const auto duplicates = [&](double a, double b) { return b - a <= same; };
  times.erase(std::unique(times.begin(), times.end(), duplicates), times.end());
  return times;
}

bool has_period(const Function& force, double period, double final_time) {
  const auto frequencies = repetition(force.operations()).frequencies;
  return frequencies &&
         std::ranges::all_of(
             *frequencies,
             [&](double frequency) {
               constexpr double rounding = 1e-10;  // the largest rounding error of `turns`
               const double turns = frequency * period;
               return std::abs(turns - std::max(1.0, std::round(turns))) <= rounding;
             }) &&
         std::ranges::all_of(force.operations(), [&](const Operation& operation) {
           return !operation.table || repeats(*operation.table, period, final_time);
         });
}

std::optional<double> period_of(const Function& force, double final_time) {
  constexpr int most = 60;
  const auto frequencies = repetition(force.operations()).frequencies;
  if (!frequencies || frequencies->empty()) {
    return std::nullopt;
  }
  const double lowest = std::ranges::min(*frequencies);
  for (int periods = 1; periods <= most; ++periods) {
    if (has_period(force, periods / lowest, final_time)) {
      return periods / lowest;
    }
  }
  return std::nullopt;
}

}  // namespace masing::base
