#include "base/plain_range.hpp"

#include <algorithm>
#include <array>
#include <boost/math/interpolators/barycentric_rational.hpp>
#include <boost/numeric/interval.hpp>
#include <cmath>
#include <numbers>
#include <string_view>
#include <vector>

#include "base/elementary_functions.hpp"
#include "base/limits.hpp"

namespace masing::base {

namespace {

namespace lib = boost::numeric::interval_lib;
using Range = boost::numeric::interval<
    double, lib::policies<lib::rounded_transc_exact<double>, lib::checking_base<double>>>;
using Ranges = std::vector<Range>;

Range all() {
  return {-infinity, infinity};
}

/// Empty stays what is certainly not a number; other ends that are not numbers are unknown.
Range known(const Range& a) {
  const bool is_unknown = std::isnan(a.lower()) != std::isnan(a.upper());
  return is_unknown ? all() : a;
}

/// A nondecreasing function that is defined on [least, most].
Range rising(double (*f)(double), const Range& a, double least = -infinity,
             double most = infinity) {
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

Range power(const Range& a, const Range& b) {
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

/// 1, 0 or, where neither is certain, both.
Range decided(bool yes, bool no) {
  return {yes ? 1.0 : 0.0, no ? 0.0 : 1.0};
}

bool is_true(const Range& a) {
  return empty(a) || a.lower() > 0.0 || a.upper() < 0.0;
}

bool is_false(const Range& a) {
  return a.lower() == 0.0 && a.upper() == 0.0;
}

double sign_of(double x) {
  return x < 0.0 ? -1.0 : x > 0.0 ? 1.0 : 0.0;
}

double rounded(double x) {
  return std::floor(x + 0.5);
}

constexpr double turn = 2 * std::numbers::pi;

/// The range of a named function of one argument.
struct NamedRange {
  std::string_view name;
  Range (*of)(const Range&);
};

constexpr std::array named_ranges{
    NamedRange{"sin",
               [](const Range& a) {
                 return wave([](double x) { return std::sin(turn * x); }, a / turn, 0.25, 0.75);
               }},
    NamedRange{"cos",
               [](const Range& a) {
                 return wave([](double x) { return std::cos(turn * x); }, a / turn, 0.0, 0.5);
               }},
    NamedRange{"tan",
               [](const Range& a) {
                 const auto branch = [](double x) { return std::floor(2 * x / turn - 0.5); };
                 return branch(a.lower()) == branch(a.upper()) ? rising(std::tan, a) : all();
               }},
    NamedRange{"asin", [](const Range& a) { return rising(std::asin, a, -1.0, 1.0); }},
    NamedRange{"acos", [](const Range& a) { return turn / 4 - rising(std::asin, a, -1.0, 1.0); }},
    NamedRange{"atan", [](const Range& a) { return rising(std::atan, a); }},
    NamedRange{"sinh", [](const Range& a) { return rising(std::sinh, a); }},
    NamedRange{"cosh", [](const Range& a) { return rising(std::cosh, abs(a)); }},
    NamedRange{"tanh", [](const Range& a) { return rising(std::tanh, a); }},
    NamedRange{"asinh", [](const Range& a) { return rising(std::asinh, a); }},
    NamedRange{"acosh", [](const Range& a) { return rising(std::acosh, a, 1.0); }},
    NamedRange{"atanh", [](const Range& a) { return rising(std::atanh, a, -1.0, 1.0); }},
    NamedRange{"log2", [](const Range& a) { return rising(std::log2, a, 0.0); }},
    NamedRange{"log10", [](const Range& a) { return rising(std::log10, a, 0.0); }},
    NamedRange{"log", [](const Range& a) { return rising(std::log, a, 0.0); }},
    NamedRange{"ln", [](const Range& a) { return rising(std::log, a, 0.0); }},
    NamedRange{"exp", [](const Range& a) { return rising(std::exp, a); }},
    NamedRange{"sqrt", [](const Range& a) { return rising(std::sqrt, a, 0.0); }},
    NamedRange{"sign", [](const Range& a) { return rising(sign_of, a); }},
    NamedRange{"rint", [](const Range& a) { return rising(rounded, a); }},
    NamedRange{"abs", [](const Range& a) { return abs(a); }},
    NamedRange{"triangle", [](const Range& a) { return wave(triangle, a, 0.25, 0.75); }},
    NamedRange{"square", [](const Range& a) { return wave(square, a, 0.0, 0.5); }},
    NamedRange{"sawtooth", [](const Range& a) { return wave(sawtooth, a, 0.5, 0.5); }},
};

/// Those of elementary_functions(), by the same index; null for a function of several arguments.
const std::vector<Range (*)(const Range&)>& ranges_of_one() {
  static const auto all_of_one = [] {
    std::vector<Range (*)(const Range&)> found;
    for (const ElementaryFunction& each : elementary_functions()) {
      const auto* const named = std::ranges::find(named_ranges, each.name, &NamedRange::name);
      found.push_back(named == named_ranges.end() ? nullptr : named->of);
    }
    return found;
  }();
  return all_of_one;
}

Range called(std::string_view name, const Range& a, const Range& b) {
  return name == "atan2" ? angle(a, b)
         : name == "min" ? min(a, b)
         : name == "max" ? max(a, b)
                         : a + b;
}

Range combined(Instruction instruction, const Range& a, const Range& b) {
  const bool compares = instruction >= Instruction::less && instruction <= Instruction::not_equal;
  if (compares && (empty(a) || empty(b))) {
    // Of what is not a number only != holds.
    return instruction == Instruction::not_equal ? 1.0 : 0.0;
  }
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
      Range result = pop(stack);
      if (const auto of = ranges_of_one()[static_cast<std::size_t>(operation.function -
                                                                   elementary_functions().data())];
          of != nullptr) {
        return of(result);
      }
      for (int i = 1; i < operation.arguments; ++i) {
        result = called(operation.function->name, pop(stack), result);
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
    // A jump takes a look or two at each width; many narrow ones mean that there is no end.
    constexpr int most_looks = 1 << 14;
    constexpr int most_narrow_looks = 1 << 8;
    const double middle = first + (last - first) / 2;
    narrow_looks_ += static_cast<int>(last - first < (last_ - first_) / most_looks);
    if (++looks_ > most_looks || narrow_looks_ > most_narrow_looks || middle <= first ||
        middle >= last) {
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
  int narrow_looks_ = 0;
};

}  // namespace

Enclosure plain_range(std::span<const Operation> operations, double first, double last) {
  Ranges stack;
  stack.reserve(operations.size());
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
