#include "base/plain_range.hpp"

#include <algorithm>
#include <array>
#include <boost/math/interpolators/barycentric_rational.hpp>
#include <boost/numeric/interval.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "base/elementary_functions.hpp"
#include "base/function.hpp"

namespace masing::base {

namespace {

namespace lib = boost::numeric::interval_lib;
using Range = boost::numeric::interval<
    double, lib::policies<lib::rounded_transc_exact<double>, lib::checking_base<double>>>;
using Ranges = std::vector<Range>;

constexpr double infinity = std::numeric_limits<double>::infinity();

Range all() {
  return {-infinity, infinity};
}

Range known(const Range& a) {
  return std::isnan(a.lower()) || std::isnan(a.upper()) ? all() : a;
}

/// A nondecreasing function that is defined on [least, most].
Range rising(double (*f)(double), const Range& a, double least = -infinity,
             double most = infinity) {
  if (a.upper() < least || a.lower() > most) {
    return all();
  }
  return {f(std::max(a.lower(), least)), f(std::min(a.upper(), most))};
}

/// A function of period 1 that lies in [-1, 1] and rises, falls or stays between its places of
/// phase `first` and `second`.
Range wave(double (*f)(double), const Range& a, double first, double second) {
  const auto passes = [&](double phase) {
    return std::floor(a.upper() - phase) != std::floor(a.lower() - phase);
  };
  if (!std::isfinite(a.lower()) || !std::isfinite(a.upper()) || passes(first) || passes(second)) {
    return {-1.0, 1.0};
  }
  const auto [low, high] = std::minmax({f(a.lower()), f(a.upper())});
  return {low, high};
}

Range power(const Range& a, const Range& b) {
  const double exponent = b.lower();
  if (b.lower() != b.upper() || exponent != std::rint(exponent) || std::abs(exponent) > 1e9) {
    return a.lower() >= 0.0 ? exp(b * log(a)) : all();
  }
  const int whole = std::abs(static_cast<int>(exponent));
  const Range result = whole == 0 ? Range(1.0) : pow(a, whole);
  return exponent < 0.0 ? 1.0 / result : result;
}

Range angle(const Range& y, const Range& x) {
  if (!(x.lower() > 0.0 || y.lower() > 0.0 || y.upper() < 0.0)) {
    return {-std::numbers::pi, std::numbers::pi};
  }
  const auto [low, high] =
      std::minmax({std::atan2(y.lower(), x.lower()), std::atan2(y.lower(), x.upper()),
                   std::atan2(y.upper(), x.lower()), std::atan2(y.upper(), x.upper())});
  return {low, high};
}

/// 1, 0 or, where neither is certain, both.
Range decided(bool yes, bool no) {
  return {yes ? 1.0 : 0.0, no ? 0.0 : 1.0};
}

bool is_true(const Range& a) {
  return a.lower() > 0.0 || a.upper() < 0.0;
}

bool is_false(const Range& a) {
  return a.lower() == 0.0 && a.upper() == 0.0;
}

Range called(std::string_view name, const Range& a) {
  const double turn = 2 * std::numbers::pi;
  if (name == "sin") {
    return wave([](double x) { return std::sin(2 * std::numbers::pi * x); }, a / turn, 0.25, 0.75);
  }
  if (name == "cos") {
    return wave([](double x) { return std::cos(2 * std::numbers::pi * x); }, a / turn, 0.0, 0.5);
  }
  if (name == "tan") {
    const bool passes_pole =
        std::floor(a.upper() / turn * 2 - 0.5) != std::floor(a.lower() / turn * 2 - 0.5);
    return passes_pole ? all() : rising(std::tan, a);
  }
  const auto constant_sign = [](double x) { return x < 0.0 ? -1.0 : x > 0.0 ? 1.0 : 0.0; };
  return name == "asin"       ? rising(std::asin, a, -1.0, 1.0)
         : name == "acos"     ? std::numbers::pi / 2 - rising(std::asin, a, -1.0, 1.0)
         : name == "atan"     ? rising(std::atan, a)
         : name == "sinh"     ? rising(std::sinh, a)
         : name == "cosh"     ? rising(std::cosh, abs(a))
         : name == "tanh"     ? rising(std::tanh, a)
         : name == "asinh"    ? rising(std::asinh, a)
         : name == "acosh"    ? rising(std::acosh, a, 1.0)
         : name == "atanh"    ? rising(std::atanh, a, -1.0, 1.0)
         : name == "log2"     ? rising(std::log2, a, 0.0)
         : name == "log10"    ? rising(std::log10, a, 0.0)
         : name == "exp"      ? rising(std::exp, a)
         : name == "sqrt"     ? rising(std::sqrt, a, 0.0)
         : name == "sign"     ? rising(constant_sign, a)
         : name == "rint"     ? rising([](double x) { return std::floor(x + 0.5); }, a)
         : name == "abs"      ? abs(a)
         : name == "triangle" ? wave(triangle, a, 0.25, 0.75)
         : name == "square"   ? wave(square, a, 0.0, 0.5)
         : name == "sawtooth" ? wave(sawtooth, a, 0.5, 0.5)
                              : rising(std::log, a, 0.0);
}

Range called(std::string_view name, const Range& a, const Range& b) {
  return name == "atan2" ? angle(a, b)
         : name == "min" ? min(a, b)
         : name == "max" ? max(a, b)
                         : a + b;
}

Range combined(Instruction instruction, const Range& a, const Range& b) {
  switch (instruction) {
    case Instruction::add:
      return a + b;
    case Instruction::subtract:
      return a - b;
    case Instruction::multiply:
      return a * b;
    case Instruction::divide:
      return a / b;
    case Instruction::power:
      return power(a, b);
    case Instruction::less:
      return decided(a.upper() < b.lower(), a.lower() >= b.upper());
    case Instruction::greater:
      return combined(Instruction::less, b, a);
    case Instruction::less_equal:
      return decided(a.upper() <= b.lower(), a.lower() > b.upper());
    case Instruction::greater_equal:
      return combined(Instruction::less_equal, b, a);
    case Instruction::equal:
      return decided(a.lower() == b.upper() && a.upper() == b.lower(), !overlap(a, b));
    case Instruction::not_equal:
      return 1.0 - combined(Instruction::equal, a, b);
    case Instruction::both:
      return decided(is_true(a) && is_true(b), is_false(a) || is_false(b));
    default:
      return decided(is_true(a) || is_true(b), is_false(a) && is_false(b));
  }
}

Range pop(Ranges& stack) {
  const Range top = stack.back();
  stack.pop_back();
  return top;
}

Range value(const Operation& operation, const Range& variable, Ranges& stack) {
  switch (operation.instruction) {
    case Instruction::number:
      return operation.number;
    case Instruction::variable:
      return variable;
    case Instruction::negate:
      return -pop(stack);
    case Instruction::choose: {
      const Range other = pop(stack);
      const Range one = pop(stack);
      const Range condition = pop(stack);
      return is_true(condition) ? one : is_false(condition) ? other : hull(one, other);
    }
    case Instruction::function: {
      const taylor::Named& named = taylor::functions()[operation.function];
      Range result = pop(stack);
      if (named.one != nullptr) {
        return called(named.name, result);
      }
      for (int i = 1; i < operation.arguments; ++i) {
        result = called(named.name, pop(stack), result);
      }
      return result;
    }
    default: {
      const Range last = pop(stack);
      return combined(operation.instruction, pop(stack), last);
    }
  }
}

/// Halves an interval until what its range shows is what the polynomial does.
class Comparison {
 public:
  Comparison(const std::function<Enclosure(double, double)>& range,
             const boost::math::barycentric_rational<double>& polynomial, double first, double last,
             double impulse)
      : range_(range), polynomial_(polynomial), first_(first), last_(last), impulse_(impulse) {}

  bool agrees() { return agrees(first_, polynomial_(0.0), last_, polynomial_(1.0)); }

 private:
  bool agrees(double first, double at_first, double last, double at_last) {
    constexpr int most_looks = 1 << 14;
    const double middle = first + (last - first) / 2;
    if (++looks_ > most_looks || middle <= first || middle >= last) {
      return false;
    }
    const double at_middle = polynomial_((middle - first_) / (last_ - first_));
    const auto [low, high] = std::minmax({at_first, at_middle, at_last});
    const Enclosure found = range_(first, last);
    if (std::max(found.high - low, high - found.low) * (last - first) <= impulse_) {
      return true;
    }
    return agrees(first, at_first, middle, at_middle) && agrees(middle, at_middle, last, at_last);
  }

  const std::function<Enclosure(double, double)>& range_;
  const boost::math::barycentric_rational<double>& polynomial_;
  double first_;
  double last_;
  double impulse_;
  int looks_ = 0;
};

}  // namespace

Enclosure plain_range(std::span<const Operation> operations, double first, double last) {
  Ranges stack;
  for (const Operation& operation : operations) {
    stack.push_back(known(value(operation, {first, last}, stack)));
  }
  return {stack.back().lower(), stack.back().upper()};
}

bool shows_all(const std::function<double(double)>& f,
               const std::function<Enclosure(double, double)>& range, double first, double last,
               double impulse) {
  constexpr int degree = 8;
  std::array<double, degree + 1> places{};  // 0 is first, 1 is last
  std::array<double, degree + 1> values{};
  for (int i = 0; i <= degree; ++i) {
    places[i] = 0.5 - 0.5 * std::cos(std::numbers::pi * i / degree);
    values[i] = f(first + places[i] * (last - first));
  }
  const boost::math::barycentric_rational<double> polynomial(places.data(), values.data(),
                                                             places.size(), degree);
  return Comparison(range, polynomial, first, last, impulse).agrees();
}

}  // namespace masing::base
