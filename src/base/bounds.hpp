#pragma once

#include <array>
#include <span>

#include "base/expression.hpp"

namespace masing::base {

/// An interval of real numbers from `low` < ∞ to `high` > -∞ that is known to contain a value.
/// Where an operation on enclosures rounds, it rounds outwards, even if it overflows or underflows.
/// Source: Moore, Methods and Applications of Interval Analysis, SIAM 1979, chapter 2.
struct Enclosure {
  double low = 0.0;
  double high = 0.0;

  [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
  /// Returns whether both ends are finite.
  [[nodiscard]] bool is_finite() const { return low - low == 0.0 && high - high == 0.0; }
  /// Returns the largest absolute value in the interval; if an end is NaN, it returns ∞.
  [[nodiscard]] double magnitude() const;
};

/// Returns the interval [-∞, ∞] of all real numbers.
Enclosure everything();
/// Returns an enclosure of the exact values of a function of the mathematical library whose
/// computed values are `low` to `high`. Each end is moved outwards by the rounding error that such
/// a function may have. A positive end is not moved below 0, nor a negative end above 0. Returns
/// [-∞, ∞] if an end is NaN.
Enclosure widened(double low, double high);
/// Returns the smallest interval that contains both a and b.
Enclosure hull(const Enclosure& a, const Enclosure& b);

Enclosure operator-(const Enclosure& a);
Enclosure operator+(const Enclosure& a, const Enclosure& b);
Enclosure operator*(const Enclosure& a, const Enclosure& b);
Enclosure operator*(double factor, const Enclosure& a);
/// Returns an enclosure of a/b; it is [-∞, ∞] if b contains 0 or an end of b is NaN.
Enclosure operator/(const Enclosure& a, const Enclosure& b);
/// Returns an enclosure of {x/divisor : x in a}; `divisor` must be positive.
Enclosure operator/(const Enclosure& a, int divisor);
/// Returns an enclosure of {x² : x in a}.
Enclosure square_of(const Enclosure& a);
/// Returns an enclosure of {eˣ : x in a}. If eˣ underflows at the lower end of a, the lower end of
/// the result is 0; if eˣ overflows at the upper end of a, the upper end of the result is ∞.
Enclosure exponential_of(const Enclosure& a);

/// The highest degree of a Taylor coefficient that is computed.
constexpr int taylor_order = 16;

/// What is known of a function on an interval; each value says more than the one before it.
enum class Known {
  partly,   ///< the function may be undefined somewhere in the interval
  defined,  ///< the function has a value everywhere in the interval
  smooth    ///< the function is defined, and has no jump, kink or pole inside the interval
};

/// Enclosures of the Taylor coefficients f⁽ᵏ⁾(t)/k! of a function f, for all points t of an
/// interval. Wherever f⁽ᵏ⁾(t) exists, f⁽ᵏ⁾(t)/k! = eˡ a with a number l in `scale` and a number a
/// in c[k]. The scale keeps the c[k] moderate if f is too large or too small for a double.
struct Series {
  std::array<Enclosure, taylor_order + 1> c{};
  int terms = 1;  ///< c[terms] and all later coefficients are 0
  Enclosure scale;
  Known known = Known::smooth;

  explicit Series(const Enclosure& value) { c[0] = value; }
  [[nodiscard]] bool is_scaled() const { return scale.magnitude() > 0.0; }
  [[nodiscard]] Enclosure coefficient(int k) const { return k < terms ? c[k] : Enclosure{}; }
};

/// Returns the series of an expression over the interval [first, last] of its variable, with scale
/// 0. For each operation, a recurrence computes the Taylor coefficients of the result from
/// those of the operands, rounded outwards. The shorter the interval, the narrower are the
/// enclosures. If a comparison, abs(), min(), a wave or the like has different cases in the
/// interval, the series encloses all cases and is not marked as smooth. The scales of
/// intermediate results keep the enclosures narrow in expressions such as 1/cosh(1000*t)^2, where
/// an intermediate result is too large for a double. The derivatives are those by
/// (variable/`unit`), so that the coefficients are moderate on any scale; `unit` must be a power of
/// two. Source: Moore, Methods and Applications of Interval Analysis, SIAM 1979, §3.4. Local.
Series series_of(std::span<const Operation> operations, double first, double last,
                 double unit = 1.0);

/// Enclosures of a function f and of its derivatives on an interval.
struct Bounds {
  Enclosure value;    ///< an enclosure of f
  Enclosure slope;    ///< an enclosure of f'
  Enclosure top;      ///< an enclosure of unit¹⁶ f⁽¹⁶⁾/16!
  double unit = 1.0;  ///< a power of two of the order of the width, with which `top` is moderate
  /// If true, it is certain that f has no jump, kink or pole inside the interval, and no jump at
  /// its right end.
  bool smooth = true;

  /// Returns a bound of |f - p| on the interval, whose width is `width`, for a polynomial p. If
  /// `smooth` is true and this gives the smaller bound, p is Taylor's polynomial of degree 15 about
  /// the centre of the interval. In all other cases p is a constant, the centre of `value`. The
  /// bound is infinite if `value` is not finite.
  [[nodiscard]] double remainder(double width) const;
};

/// Returns the bounds of an expression on [first, last], computed by series_of(). They hold at
/// every point of the interval, and therefore cover even the narrowest peak of the expression.
/// Local.
Bounds bounds_of(std::span<const Operation> operations, double first, double last);

}  // namespace masing::base
