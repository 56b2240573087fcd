#pragma once

#include <span>

#include "base/enclosure.hpp"
#include "base/operation.hpp"
#include "base/taylor_series.hpp"

namespace masing::base {

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

/// Bounds of an expression over [first, last] of its variable, by interval arithmetic on Taylor
/// series (recurrences for each function), widened by a rounding in every operation: nothing an
/// expression does within an interval, however narrow, is missed. They are the closer the shorter
/// the interval. Where a comparison, abs(), min(), a wave … is undecided on an interval, the bounds
/// cover all cases, and the function counts as not smooth there. What overflows or underflows on
/// the way and not in the end, as in 1/cosh(1000*t)^2, does no harm. Source: R. E. Moore, Methods
/// and Applications of Interval Analysis, SIAM 1979, §3.4. Local.
Bounds bounds_of(std::span<const Operation> operations, double first, double last);

/// All Taylor coefficients on [first, last], of scale 0. Local.
taylor::Series series_of(std::span<const Operation> operations, double first, double last);

}  // namespace masing::base
