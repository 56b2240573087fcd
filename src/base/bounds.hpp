#pragma once

#include <array>
#include <span>

#include "base/enclosure.hpp"
#include "base/expression.hpp"

namespace masing::base {

/// The degree of the last Taylor coefficient.
constexpr int taylor_order = 16;

/// What is known of a function on an interval, from the least to the most.
enum class Known {
  partly,   ///< it may be undefined somewhere
  defined,  ///< it has a value everywhere
  smooth    ///< and no jump, kink or pole can lie within
};

/// Enclosures of the Taylor coefficients of f about the points t of an interval: wherever f has a
/// value, f⁽ᵏ⁾(t)/k! = eˡ 2^(k rate) a with an l in `scale` and an a in c[k]. A scale other than 0
/// keeps the c[k] moderate where eˡ is no double, a rate where f is steep.
struct Series {
  std::array<Enclosure, taylor_order + 1> c{};
  int terms = 1;  ///< the coefficients from here on are 0
  Enclosure scale;
  int rate = 0;
  Known known = Known::smooth;

  explicit Series(const Enclosure& value) { c[0] = value; }
  [[nodiscard]] bool is_scaled() const { return scale.magnitude() > 0.0 || rate != 0; }
  [[nodiscard]] Enclosure coefficient(int k) const { return k < terms ? c[k] : Enclosure{}; }
};

/// The series of an expression over [first, last] of its variable, of scale 0: by a recurrence for
/// each operation, rounded outwards; the closer the shorter the interval. Where a comparison,
/// abs(), min(), a wave … is undecided it covers all cases and is not smooth. What overflows or
/// underflows on the way and not in the end, as in 1/cosh(1000*t)^2, does no harm. Source: R. E.
/// Moore, Methods and Applications of Interval Analysis, SIAM 1979, §3.4. Local.
Series series_of(std::span<const Operation> operations, double first, double last);

/// What is known of a function f on an interval.
struct Bounds {
  Enclosure value;     ///< of f
  Enclosure slope;     ///< of f'
  Enclosure top;       ///< of f⁽¹⁶⁾/16!
  bool smooth = true;  ///< no jump, kink or pole can lie within, nor at the right end

  /// A bound of |f - p| over an interval of this width, p Taylor's polynomial of degree 15 about
  /// its centre or, also where f is not smooth, a constant; infinite where f may have no bound.
  [[nodiscard]] double remainder(double width) const;
};

/// Bounds by series_of: nothing that an expression does within an interval, however narrow, is
/// missed. Local.
Bounds bounds_of(std::span<const Operation> operations, double first, double last);

}  // namespace masing::base
