#include "base/plain_range.hpp"

#include <algorithm>
#include <array>
#include <boost/numeric/interval.hpp>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include "base/limits.hpp"

namespace masing::base {

namespace {

namespace lib = boost::numeric::interval_lib;
using Range = boost::numeric::interval<
    double, lib::policies<lib::rounded_transc_exact<double>, lib::checking_base<double>>>;

constexpr double turn = 2 * std::numbers::pi;

Range all() {
  return {-infinity, infinity};
}

/// Empty stays what is certainly not a number; other ends that are not numbers are unknown.
Range known(const Range& a) {
  const bool is_unknown = std::isnan(a.lower()) != std::isnan(a.upper());
  return is_unknown ? all() : a;
}

/// A nondecreasing function that is defined on [least, most].
Range nondecreasing(double (*f)(double), const Range& a, double least, double most) {
  if (empty(a) || a.upper() < least || a.lower() > most) {
    return Range::empty();
  }
  return {f(std::max(a.lower(), least)), f(std::min(a.upper(), most))};
}

/// A function of period 1 that lies in [-1, 1] and rises, falls or stays between its places of
/// phase `first` and `second`.
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

/// How the range of a function of one argument is found: by `range`, or, where that is null, as of
/// one that does not decrease on [least, most], where it is defined.
struct Rule {
  std::string_view name;
  Range (*range)(const Range&) = nullptr;
  double least = -infinity;
  double most = infinity;
};

constexpr std::array rules{
    Rule{"sin",
         [](const Range& a) {
           return wave([](double x) { return std::sin(turn * x); }, a / turn, 0.25, 0.75);
         }},
    Rule{"cos",
         [](const Range& a) {
           return wave([](double x) { return std::cos(turn * x); }, a / turn, 0.0, 0.5);
         }},
    Rule{"tan",
         [](const Range& a) {
           const auto branch = [](double x) { return std::floor(2 * x / turn - 0.5); };
           return branch(a.lower()) == branch(a.upper())
                      ? nondecreasing(std::tan, a, -infinity, infinity)
                      : all();
         }},
    Rule{"acos", [](const Range& a) { return turn / 4 - nondecreasing(std::asin, a, -1.0, 1.0); }},
    Rule{"cosh",
         [](const Range& a) { return nondecreasing(std::cosh, abs(a), -infinity, infinity); }},
    Rule{"abs", [](const Range& a) { return abs(a); }},
    Rule{"triangle", [](const Range& a) { return wave(triangle, a, 0.25, 0.75); }},
    Rule{"square", [](const Range& a) { return wave(square, a, 0.0, 0.5); }},
    Rule{"sawtooth", [](const Range& a) { return wave(sawtooth, a, 0.5, 0.5); }},
    Rule{"asin", nullptr, -1.0, 1.0},
    Rule{"atanh", nullptr, -1.0, 1.0},
    Rule{"acosh", nullptr, 1.0},
    Rule{"sqrt", nullptr, 0.0},
    Rule{"ln", nullptr, 0.0},
    Rule{"log", nullptr, 0.0},
    Rule{"log2", nullptr, 0.0},
    Rule{"log10", nullptr, 0.0},
};

Range value(const ElementaryFunction& f, const Range& a) {
  const auto* const rule = std::ranges::find(rules, f.name, &Rule::name);
  const Rule found = rule == rules.end() ? Rule{f.name} : *rule;
  return found.range != nullptr ? found.range(a)
                                : nondecreasing(f.value, a, found.least, found.most);
}

Range value(const ElementaryFunction& f, const Range& a, const Range& b) {
  return f.name == "atan2" ? angle(a, b)
         : f.name == "min" ? min(a, b)
         : f.name == "max" ? max(a, b)
                           : a + b;
}

/// 0 or 1, or anything between.
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

/// What an operation makes of one operand or more.
Range carried_out(const Operation& operation, std::span<const Range> operands) {
  const Range& a = operands.front();
  const Range& b = operands.back();
  switch (operation.instruction) {
    case Instruction::negate:
      return -a;
    case Instruction::function:
      return operands.size() == 1 ? value(*operation.function, a)
                                  : value(*operation.function, a, b);
    case Instruction::add:
      return a + b;
    case Instruction::subtract:
      return a - b;
    case Instruction::multiply:
      return a * b;
    case Instruction::divide:
      return a / b;
    case Instruction::power:
      return power_of(a, b);
    case Instruction::less:
      return less(a, b);
    case Instruction::greater:
      return less(b, a);
    case Instruction::less_equal:
      return 1.0 - less(b, a);
    case Instruction::greater_equal:
      return 1.0 - less(a, b);
    case Instruction::equal:
      return equal(a, b);
    case Instruction::not_equal:
      return 1.0 - equal(a, b);
    case Instruction::both:
      return min(is_true(a), is_true(b));
    case Instruction::any:
      return max(is_true(a), is_true(b));
    default: {
      const Range condition = is_true(a);
      return condition.lower() == 1.0   ? operands[1]
             : condition.upper() == 0.0 ? b
                                        : hull(operands[1], b);
    }
  }
}

}  // namespace

Enclosure plain_range(std::span<const Operation> operations, double first, double last) {
  std::vector<Range> stack;
  stack.reserve(operations.size());
  for (const Operation& operation : operations) {
    const std::size_t count = operands_of(operation);
    if (count == 0) {
      stack.push_back(operation.instruction == Instruction::number ? Range(operation.number)
                                                                   : Range(first, last));
      continue;
    }
    const auto operands = std::span<Range>(stack).last(count);
    operands[0] = known(carried_out(operation, operands));
    stack.resize(stack.size() - count + 1);
  }
  return {stack.back().lower(), stack.back().upper()};
}

}  // namespace masing::base
