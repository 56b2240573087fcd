#pragma once

#include <array>
#include <span>

#include "base/enclosure.hpp"
#include "base/expression.hpp"

namespace masing::base {

/// The highest degree of a Taylor coefficient that is computed.
constexpr int taylor_order = 16;

/// What is known of a function on an interval; each value says more than the one before it.
enum class Known {
  partly,   ///< the function may be undefined somewhere in the interval
  defined,  ///< the function has a value everywhere in the interval
  smooth    ///< the function is defined, and has no jump, kink or pole inside the interval
};

/// Enclosures of the Taylor coefficients f⁽ᵏ⁾(t)/k! of a function f, for all points t of an
/// interval. Wherever f⁽ᵏ⁾(t) exists, f⁽ᵏ⁾(t)/k! = eˡ 2^(k rate) a with a number l in `scale` and a
/// number a in c[k]. The scale keeps the c[k] moderate if f is too large or too small for a double,
/// and the rate keeps them moderate if f is steep.
struct Series {
  std::array<Enclosure, taylor_order + 1> c{};
  int terms = 1;  ///< c[terms] and all later coefficients are 0
  Enclosure scale;
  int rate = 0;
  Known known = Known::smooth;

  explicit Series(const Enclosure& value) { c[0] = value; }
  [[nodiscard]] bool is_scaled() const { return scale.magnitude() > 0.0 || rate != 0; }
  [[nodiscard]] Enclosure coefficient(int k) const { return k < terms ? c[k] : Enclosure{}; }
};

/// Returns the series of an expression over the interval [first, last] of its variable, with scale
/// and rate 0. For each operation, a recurrence computes the Taylor coefficients of the result from
/// those of the operands, rounded outwards. The shorter the interval, the narrower are the
/// enclosures. If a comparison, abs(), min(), a wave or the like has different cases in the
/// interval, the series encloses all cases and is not marked as smooth. Scale and rate of
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
