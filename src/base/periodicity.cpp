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
#include "base/smooth_pieces.hpp"

namespace masing::base {

namespace {

// More than any run could honour; also keeps a·T from overflowing a count.
constexpr double most_breaks = 1e7;

/// A function of x that repeats itself. A wave is not smooth at first_corner + j·spacing.
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

/// The function of an operation; null where it does not repeat itself.
const Repeating* repeating(const Operation& operation) {
  const auto* const found = std::ranges::find(all_repeating, operation.name(), &Repeating::name);
  return found == all_repeating.end() ? nullptr : found;
}

/// A wave of slope·t + offset, if `is_affine`.
struct Wave {
  const Repeating* function;
  bool is_affine;
  double slope;
  double offset;
};

/// What makes an expression not smooth everywhere other than waves, as its text has it: "abs()",
/// "'<'"; empty if there is nothing.
std::string not_smooth_part(std::span<const Operation> operations) {
  constexpr std::array<std::string_view, 17> names{
      "abs", "min", "max", "sign", "rint", "tan", "asin", "acos", "<",
      ">",   "<=",  ">=",  "==",   "!=",   "&&",  "||",   "?"};
  const auto found = std::ranges::find_first_of(operations, names, {}, &Operation::name);
  if (found == operations.end()) {
    return {};
  }
  const bool is_sign = std::isalpha(static_cast<unsigned char>(found->name().front())) == 0;
  return is_sign ? fmt::format("'{}'", found->name()) : fmt::format("{}()", found->name());
}

/// A part of an expression: slope·t + what is constant or of these frequencies.
struct Subexpression {
  std::size_t first = 0;  ///< its first operation
  bool is_known = true;   ///< false where a t stands elsewhere
  double slope = 0.0;
  std::vector<double> frequencies{};

  [[nodiscard]] bool is_level() const { return is_known && slope == 0.0; }
  [[nodiscard]] bool is_affine() const { return is_known && frequencies.empty(); }
  [[nodiscard]] bool is_constant() const { return is_level() && frequencies.empty(); }
};

/// Follows the parts of an expression; its tables count as constants.
class PeriodAnalysis {
 public:
  explicit PeriodAnalysis(std::span<const Operation> operations)
      : operations_(operations),
        whole_(carried_out<Subexpression>(
            operations,
            [this](const Operation& operation, std::span<const Subexpression> operands) {
              return combined(static_cast<std::size_t>(&operation - operations_.data()), operands);
            })) {}

  /// The frequencies 1/period of what makes it vary, every common period of which is its period;
  /// nothing where a t stands elsewhere.
  [[nodiscard]] std::optional<std::vector<double>> frequencies() const {
    return whole_.is_level() ? std::optional(whole_.frequencies) : std::nullopt;
  }

  [[nodiscard]] const std::vector<Wave>& waves() const { return waves_; }

 private:
  /// The value at t = 0 of the operations from `first` to before `end`.
  [[nodiscard]] double at_0(std::size_t first, std::size_t end) const {
    return value_of(operations_.subspan(first, end - first), 0.0);
  }

  /// What operation i makes of its operands.
  Subexpression combined(std::size_t i, std::span<const Subexpression> operands) {
    const Repeating* const function = repeating(operations_[i]);
    const auto slope = slope_after(i, operands);
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
      const bool is_affine = operands[0].is_affine();
      waves_.push_back(
          {function, is_affine, operands[0].slope, is_affine ? at_0(operands[0].first, i) : 0.0});
    }
    return whole;
  }

  /// Nothing where t stands outside what repeats itself.
  [[nodiscard]] std::optional<double> slope_after(std::size_t i,
                                                  std::span<const Subexpression> operands) const {
    const Operation& operation = operations_[i];
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
      return operation.function->value_of_two(operands[0].slope, at_0(operands[1].first, i));
    }
    if (name == "*" && operands[0].is_constant()) {
      return at_0(operands[0].first, operands[1].first) * operands[1].slope;
    }
    return std::nullopt;
  }

  std::span<const Operation> operations_;
  std::vector<Wave> waves_;
  Subexpression whole_;  // last: it is made by the others
};

[[noreturn]] void refuse(const std::string& quantity, const std::string& what) {
  throw UserError(quantity, "it uses " + what +
                                ", which is not smooth everywhere; give the times where it is "
                                "not as breaks \"t,t,...\"");
}

void add_breaks(const std::string& quantity, const Wave& wave, double final_time,
                std::vector<double>& found) {
  const auto& [name, period, first, spacing] = *wave.function;
  const double end = wave.offset + wave.slope * final_time;
  const double least = std::min(wave.offset, end);
  const double most = std::max(wave.offset, end);
  if (!((most - least) / spacing + static_cast<double>(found.size()) <= most_breaks)) {
    throw UserError(quantity,
                    fmt::format("with {}() it has more than 10^7 corners in [0, T]; this needs a "
                                "slower one",
                                name));
  }
  const double first_corner = std::ceil((least - first) / spacing);
  const double corners = wave.slope == 0.0 ? 0.0 : (most - least) / spacing + 1.0;
  // Counted: of a large offset the next corner may be rounded to the same place.
  for (int i = 0; i < corners; ++i) {
    const double corner = first + (first_corner + i) * spacing;
    if (corner <= most) {
      found.push_back((corner - wave.offset) / wave.slope);
    }
  }
}

/// The largest |f(t)| and |f(t + span) - f(t)| of some times.
template <typename F>
std::pair<double, double> recurrence(const F& f, double span, const std::vector<double>& times) {
  double largest = 0.0;
  double difference = 0.0;
  for (const double t : times) {
    const double value = f(t);
    largest = std::max(largest, std::abs(value));
    difference = std::max(difference, std::abs(f(t + span) - value));
  }
  return {largest, difference};
}

/// Times of a period that no symmetry favours.
std::vector<double> times_of(double period, int count) {
  std::vector<double> times(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    times[i] = period * (i + 0.37) / count;
  }
  return times;
}

/// Whether a table repeats itself: it does if it does so at its points and a period before them.
bool repeats(const Table& table, double period, double final_time) {
  const double last = std::min(final_time, horizon * period) - period;
  std::vector<double> times{0.0, last};
  for (const double kink : table.arguments) {
    times.insert(times.end(), {kink, kink - period});
  }
  std::erase_if(times, [&](double t) { return t < 0.0 || t > last; });
  const auto [largest, difference] = recurrence(table, period, times);
  return difference <= 1e-9 * largest;
}

/// Whether F(t + span) = F(t) for a function that has the period `period`: by values, and for what
/// they do not show by its ranges.
bool repeats_within(const Function& f, double span, double period) {
  const auto [largest, difference] = recurrence(f, span, times_of(period, 64));
  constexpr double negligible = 1e-6;  // of ∫ |F| dt
  return difference <= 1e-12 * largest &&
         shows_all([&](double t) { return f(t + span) - f(t); },
                   [&](double first, double last) {
                     return f.range(first + span, last + span) + -f.range(first, last);
                   },
                   0.0, period, negligible * largest * period);
}

}  // namespace

std::vector<double> breaks(const std::vector<std::pair<std::string, Function>>& functions,
                           double final_time, std::span<const double> given) {
  std::vector<double> found(given.begin(), given.end());
  for (const auto& [quantity, function] : functions) {
    std::ranges::copy(function.kinks(), std::back_inserter(found));
    if (const std::string part = not_smooth_part(function.operations());
        given.empty() && !part.empty()) {
      refuse(quantity, part);
    }
    const PeriodAnalysis analysis(function.operations());
    for (const Wave& wave : analysis.waves()) {
      if (wave.is_affine) {
        add_breaks(quantity, wave, final_time, found);
      } else if (given.empty()) {
        refuse(quantity, fmt::format("{}() of what is not a*t+b", wave.function->name));
      }
    }
  }
  std::erase_if(found, [&](double t) { return !(t > 0.0 && t < final_time); });
  std::ranges::sort(found);
  // Two functions may have the same corner, computed with different rounding.
  const double same = 1e-13 * final_time;
  const auto duplicates = [&](double a, double b) { return b - a <= same; };
  found.erase(std::unique(found.begin(), found.end(), duplicates), found.end());
  return found;
}

bool has_period(const Function& force, double period, double final_time) {
  const auto frequencies = PeriodAnalysis(force.operations()).frequencies();
  return frequencies &&
         std::ranges::all_of(*frequencies,
                             [&](double frequency) {
                               constexpr double rounding = 1e-10;  // of a turn
                               const double turns = frequency * period;
                               return std::abs(turns - std::max(1.0, std::round(turns))) <=
                                      rounding;
                             }) &&
         std::ranges::all_of(force.operations(), [&](const Operation& operation) {
           return !operation.table || repeats(*operation.table, period, final_time);
         });
}

std::optional<double> period_of(const Function& force, double final_time) {
  constexpr int most = 60;
  const auto frequencies = PeriodAnalysis(force.operations()).frequencies();
  if (!frequencies || frequencies->empty()) {
    return std::nullopt;
  }
  const double lowest = std::ranges::min(*frequencies);
  int periods = 1;
  while (!has_period(force, periods / lowest, final_time)) {
    if (++periods > most) {
      return std::nullopt;
    }
  }
  double period = periods / lowest;
  constexpr double irrational = 0.6180339887498949;
  if (repeats_within(force, irrational * period, period)) {
    return period;  // F is constant and has every period
  }
  // As of cos(t)^2, whose period is half that of cos(t).
  for (const int parts : {2, 3, 5, 7}) {
    while (repeats_within(force, period / parts, period)) {
      period /= parts;
    }
  }
  return period;
}

}  // namespace masing::base
