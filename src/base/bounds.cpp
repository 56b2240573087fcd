#include "base/bounds.hpp"

#include <algorithm>
#include <cmath>

#include "base/elementary_functions.hpp"
#include "base/enclosed_operations.hpp"
#include "base/limits.hpp"

namespace masing::base {

namespace {

using taylor::Known;
using taylor::Series;

/// The rules of Taylor series.
struct SeriesRules {
  using Value = Series;

  static Series number(double x) { return taylor::number(x); }
  static Series negative(const Series& a) { return taylor::negative(a); }
  static Series add(const Series& a, const Series& b) { return taylor::add(a, b); }
  static Series multiply(const Series& a, const Series& b) { return taylor::multiply(a, b); }
  static Series divide(const Series& a, const Series& b) { return taylor::divide(a, b); }
  static Series power(const Series& a, const Series& b) { return taylor::power(a, b); }
  static Series value(const ElementaryFunction& f, const Series& a) { return f.one(a); }
  static Series value(const ElementaryFunction& f, const Series& a, const Series& b) {
    return f.two(a, b);
  }

  static bool is_nowhere(const Series& a) { return a.known == Known::nowhere; }

  static Truth less(const Series& one, const Series& other) {
    const Enclosure a = known_values(one);
    const Enclosure b = known_values(other);
    return a.high < b.low ? Truth::yes : a.low >= b.high ? Truth::no : Truth::maybe;
  }

  static Truth equal(const Series& one, const Series& other) {
    const Enclosure a = known_values(one);
    const Enclosure b = known_values(other);
    if (a.low == a.high && b.low == b.high) {
      return a.low == b.low ? Truth::yes : Truth::no;
    }
    return a.high < b.low || b.high < a.low ? Truth::no : Truth::maybe;
  }

  static Truth truth(const Series& a) {
    const Enclosure value = a.known < Known::defined ? everything() : a.c[0];  // of any scale
    return !value.contains(0.0) ? Truth::yes : value.low == value.high ? Truth::no : Truth::maybe;
  }

  /// 1 or 0, anything between where undecided; smooth if a and b are.
  static Series logical(Truth value, const Series& a, const Series& b) {
    Series f = value == Truth::maybe ? taylor::constant({0.0, 1.0})
                                     : number(value == Truth::yes ? 1.0 : 0.0);
    const bool is_smooth = std::min(a.known, b.known) == Known::smooth && value != Truth::maybe;
    f.known = is_smooth ? Known::smooth : Known::defined;
    return f;
  }

  static Series chosen(const Series& condition, const Series& one, const Series& other) {
    const Truth choice = truth(condition);
    Series f = choice == Truth::maybe ? either(one, other) : choice == Truth::yes ? one : other;
    f.known = std::min(f.known, std::max(condition.known, Known::partly));
    return f;
  }

 private:
  /// Of what may be undefined nothing is known.
  static Enclosure known_values(const Series& a) {
    return a.known < Known::defined ? everything() : unscaled(a).c[0];
  }
};

}  // namespace

double Bounds::remainder(double width) const {
  const double of_taylor = top.magnitude() * std::pow(0.5 * width, taylor::order);
  const double of_constant = value.is_finite() ? 0.5 * (value.high - value.low) : infinity;
  return smooth && of_taylor < of_constant ? of_taylor : of_constant;
}

taylor::Series series_of(std::span<const Operation> operations, double first, double last) {
  Series variable = taylor::constant({first, last});
  variable.c[1] = {1.0, 1.0};
  variable.terms = 2;
  return unscaled(enclosed<SeriesRules>(operations, variable));
}

Bounds bounds_of(std::span<const Operation> operations, double first, double last) {
  const Series f = series_of(operations, first, last);
  const Enclosure& top = f.c[taylor::order];
  return {f.c[0], f.c[1], top,
          f.known == Known::smooth && f.c[0].is_finite() && f.c[1].is_finite() && top.is_finite()};
}

}  // namespace masing::base
