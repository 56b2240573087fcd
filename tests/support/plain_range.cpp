#include "support/plain_range.hpp"

#include <algorithm>
#include <array>
#include <boost/numeric/interval.hpp>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include "base/expression.hpp"
#include "base/limits.hpp"

namespace masing::support {

namespace {

using namespace base;

namespace lib = boost::numeric::interval_lib;
using Range = boost::numeric::interval<
    double, lib::policies<lib::rounded_transc_exact<double>, lib::checking_base<double>>>;

constexpr double turn = 2 * std::numbers::pi;

Range all() {
  return {-infinity, infinity};
}

/// Returns all real numbers if exactly one end of a is NaN, because that end is then unknown.
/// Returns a itself in all other cases, also if a is the empty range, both ends of which are NaN.
Range known(const Range& a) {
  const bool is_unknown = std::isnan(a.lower()) != std::isnan(a.upper());
  return is_unknown ? all() : a;
}

/// Returns the range over a of a nondecreasing function f that is defined on [least, most];
/// arguments outside of [least, most] are ignored.
Range nondecreasing(double (*f)(double), const Range& a, double least, double most) {
  if (empty(a) || a.upper() < least || a.lower() > most) {
    return Range::empty();
  }
  return {f(std::max(a.lower(), least)), f(std::min(a.upper(), most))};
}

/// Returns an interval that contains the range over a of a function f of period 1 with values in
/// [-1, 1]. f must be monotone between neighbouring arguments whose fractional part is `first` or
/// `second`. If such an argument lies inside a, the interval is [-1, 1].
Range wave(double (*f)(double), const Range& a, double first, double second) {
  if (empty(a)) {
    return a;
  }
  const auto passes = [&](double phase) {
    return std::floor(a.upper() - phase) != std::floor(a.lower() - phase);
  };
  if (!std::isfinite(a.lower()) || !std::isfinite(a.upper()) || passes(first) || passes(second)) {
    return {-1.0, 1.0};
  }
  const auto [low, high] = std::minmax({f(a.lower()), f(a.upper())});
  return {low, high};
}

Range power_of(const Range& a, const Range& b) {
  if (empty(a) || empty(b)) {
    return Range::empty();
  }
  const double exponent = b.lower();
  if (b.lower() != b.upper() || exponent != std::rint(exponent) || std::abs(exponent) > 1e9) {
    return a.lower() >= 0.0 ? exp(b * log(a)) : all();
  }
  const int whole = std::abs(static_cast<int>(exponent));
  const Range result = whole == 0 ? Range(1.0) : pow(a, whole);
  return exponent < 0.0 ? 1.0 / result : result;
}

Range angle(const Range& y, const Range& x) {
  if (empty(x) || empty(y)) {
    return Range::empty();
  }
  if (!(x.lower() > 0.0 || y.lower() > 0.0 || y.upper() < 0.0)) {
    return {-std::numbers::pi, std::numbers::pi};
  }
  const auto [low, high] =
      std::minmax({std::atan2(y.lower(), x.lower()), std::atan2(y.lower(), x.upper()),
                   std::atan2(y.upper(), x.lower()), std::atan2(y.upper(), x.upper())});
  return {low, high};
}

/// Returns the range of the truth value of a condition: 1 if the condition is certain, 0 if it is
/// impossible, and [0, 1] if it is undecided.
Range whether(bool is_certain, bool is_possible) {
  return {is_certain ? 1.0 : 0.0, is_possible ? 1.0 : 0.0};
}

Range less(const Range& a, const Range& b) {
  return whether(a.upper() < b.lower(), !(a.lower() >= b.upper()));
}

Range equal(const Range& a, const Range& b) {
  return whether(a.lower() == b.upper() && a.upper() == b.lower(),
                 empty(a) || empty(b) || overlap(a, b));
}

Range is_true(const Range& a) {
  return 1.0 - equal(a, 0.0);
}

/// States how to compute the range of the function or operator `name`. If it has two operands,
/// `of_two` computes the range from the ranges of the operands. If it has one operand, `of_one`
/// computes the range; if `of_one` is null, the function is defined and nondecreasing on [least,
/// most].
struct Rule {
  std::string_view name;
  Range (*of_one)(const Range&) = nullptr;
  Range (*of_two)(const Range&, const Range&) = nullptr;
  double least = -infinity;
  double most = infinity;
};

using R = const Range&;
constexpr Rule rules[] = {
    {"sin",
     [](R a) { return wave([](double x) { return std::sin(turn * x); }, a / turn, 0.25, 0.75); }},
    {"cos",
     [](R a) { return wave([](double x) { return std::cos(turn * x); }, a / turn, 0.0, 0.5); }},
    {"tan",
     [](R a) {
       const auto branch = [](double x) { return std::floor(2 * x / turn - 0.5); };
       return branch(a.lower()) == branch(a.upper())
                  ? nondecreasing(std::tan, a, -infinity, infinity)
                  : all();
     }},
    {"acos", [](R a) { return turn / 4 - nondecreasing(std::asin, a, -1.0, 1.0); }},
    {"cosh", [](R a) { return nondecreasing(std::cosh, abs(a), -infinity, infinity); }},
    {"abs", [](R a) { return abs(a); }},
    {"triangle", [](R a) { return wave(triangle, a, 0.25, 0.75); }},
    {"square", [](R a) { return wave(square, a, 0.0, 0.5); }},
    {"sawtooth", [](R a) { return wave(sawtooth, a, 0.5, 0.5); }},
    {"asin", nullptr, nullptr, -1.0, 1.0},
    {"atanh", nullptr, nullptr, -1.0, 1.0},
    {"acosh", nullptr, nullptr, 1.0},
    {"sqrt", nullptr, nullptr, 0.0},
    {"ln", nullptr, nullptr, 0.0},
    {"log", nullptr, nullptr, 0.0},
    {"log2", nullptr, nullptr, 0.0},
    {"log10", nullptr, nullptr, 0.0},
    {"sum", nullptr, [](R a, R b) { return a + b; }},
    {"avg", nullptr, [](R a, R b) { return a + b; }},
    {"-", nullptr, [](R a, R b) { return a - b; }},
    {"/", nullptr, [](R a, R b) { return a / b; }},
    {"^", nullptr, power_of},
    {"atan2", nullptr, angle},
    {"min", nullptr, [](R a, R b) { return min(a, b); }},
    {"max", nullptr, [](R a, R b) { return max(a, b); }},
    {"<", nullptr, less},
    {">", nullptr, [](R a, R b) { return less(b, a); }},
    {"<=", nullptr, [](R a, R b) { return 1.0 - less(b, a); }},
    {">=", nullptr, [](R a, R b) { return 1.0 - less(a, b); }},
    {"==", nullptr, equal},
    {"!=", nullptr, [](R a, R b) { return 1.0 - equal(a, b); }},
    {"&&", nullptr, [](R a, R b) { return min(is_true(a), is_true(b)); }},
    {"||", nullptr, [](R a, R b) { return max(is_true(a), is_true(b)); }},
};

/// Returns the range of the result of an operation whose operands have the ranges `operands`.
Range range_of(const Operation& operation, std::span<const Range> operands) {
  const auto* const rule = std::ranges::find(rules, operation.name(), &Rule::name);
  const Rule applied = rule == std::end(rules) ? Rule{} : *rule;
  if (applied.of_two != nullptr) {
    return applied.of_two(operands[0], operands[1]);
  }
  return applied.of_one != nullptr
             ? applied.of_one(operands[0])
             : nondecreasing(operation.function->value, operands[0], applied.least, applied.most);
}

Range choice(const Range& condition, const Range& one, const Range& other) {
  const Range is_one = is_true(condition);
  return is_one.lower() == 1.0 ? one : is_one.upper() == 0.0 ? other : hull(one, other);
}

Range range_of(const PointTable& table, double first, double last) {
  Range range = hull(Range(table(first)), Range(table(last)));
  const auto [begin, end] = table.within(first, last);
  for (std::size_t i = begin; i < end; ++i) {
    range = hull(range, Range(table.values[i]));
  }
  return range;
}

}  // namespace

Enclosure plain_range(std::span<const Operation> operations, double first, double last) {
  const auto apply = [&](const Operation& operation, std::span<const Range> operands) {
    switch (operation.instruction) {
      case Instruction::number:
        return Range(operation.number);
      case Instruction::variable:
        return Range(first, last);
      case Instruction::table:
        return range_of(*operation.table, first, last);
      case Instruction::negate:
        return -operands[0];
      case Instruction::add:
        return known(operands[0] + operands[1]);
      case Instruction::multiply:
        return known(operands[0] * operands[1]);
      case Instruction::choose:
        return choice(operands[0], operands[1], operands[2]);
      default:
        return known(range_of(operation, operands));
    }
  };
  const Range range = evaluate_on_stack<Range>(operations, apply);
  return {range.lower(), range.upper()};
}

}  // namespace masing::support
