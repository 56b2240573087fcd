#include "base/plain_range.hpp"

#include <algorithm>
#include <array>
#include <boost/math/interpolators/barycentric_rational.hpp>
#include <boost/numeric/interval.hpp>
#include <cmath>
#include <numbers>
#include <string_view>

#include "base/elementary_functions.hpp"
#include "base/enclosed_operations.hpp"
#include "base/limits.hpp"

namespace masing::base {

namespace {

namespace lib = boost::numeric::interval_lib;
using Range = boost::numeric::interval<
    double, lib::policies<lib::rounded_transc_exact<double>, lib::checking_base<double>>>;

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

constexpr double turn = 2 * std::numbers::pi;

/// The range of a function of one argument that also decreases.
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
    NamedRange{"acos", [](const Range& a) { return turn / 4 - rising(std::asin, a, -1.0, 1.0); }},
    NamedRange{"cosh", [](const Range& a) { return rising(std::cosh, abs(a)); }},
    NamedRange{"abs", [](const Range& a) { return abs(a); }},
    NamedRange{"triangle", [](const Range& a) { return wave(triangle, a, 0.25, 0.75); }},
    NamedRange{"square", [](const Range& a) { return wave(square, a, 0.0, 0.5); }},
    NamedRange{"sawtooth", [](const Range& a) { return wave(sawtooth, a, 0.5, 0.5); }},
};

/// The rules of plain intervals.
struct RangeRules {
  using Value = Range;

  static Range number(double x) { return x; }
  static Range negative(const Range& a) { return -a; }
  static Range add(const Range& a, const Range& b) { return known(a + b); }
  static Range multiply(const Range& a, const Range& b) { return known(a * b); }
  static Range divide(const Range& a, const Range& b) { return known(a / b); }
  static Range power(const Range& a, const Range& b) { return known(power_of(a, b)); }
  static Range value(const ElementaryFunction& f, const Range& a) {
    const auto& [low, high] = f.rising;
    return known(low < high ? rising(f.value, a, low, high)
                            : std::ranges::find(named_ranges, f.name, &NamedRange::name)->of(a));
  }
  static Range value(const ElementaryFunction& f, const Range& a, const Range& b) {
    return known(f.name == "atan2" ? angle(a, b)
                 : f.name == "min" ? min(a, b)
                 : f.name == "max" ? max(a, b)
                                   : a + b);
  }

  static bool is_nowhere(const Range& a) { return empty(a); }
  static Truth less(const Range& a, const Range& b) {
    return a.upper() < b.lower() ? Truth::yes : a.lower() >= b.upper() ? Truth::no : Truth::maybe;
  }
  static Truth equal(const Range& a, const Range& b) {
    const bool is_certain = a.lower() == b.upper() && a.upper() == b.lower();
    return is_certain ? Truth::yes : overlap(a, b) ? Truth::maybe : Truth::no;
  }
  static Truth truth(const Range& a) { return empty(a) ? Truth::yes : negation(equal(a, 0.0)); }
  static Range logical(Truth value, const Range& /*a*/, const Range& /*b*/) {
    return {value == Truth::yes ? 1.0 : 0.0, value == Truth::no ? 0.0 : 1.0};
  }
  static Range chosen(const Range& condition, const Range& one, const Range& other) {
    const Truth choice = truth(condition);
    return choice == Truth::maybe ? hull(one, other) : choice == Truth::yes ? one : other;
  }
};

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
  const Range range = enclosed<RangeRules>(operations, {first, last});
  return {range.lower(), range.upper()};
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
    if (!std::isfinite(values[i])) {
      return false;
    }
  }
  const boost::math::barycentric_rational<double> polynomial(places.data(), values.data(),
                                                             places.size(), degree);
  return Comparison(range, polynomial, first, last, impulse).agrees();
}

}  // namespace masing::base
