#pragma once

#include <span>

namespace masing::base {

struct Operation;

/// An interval of real numbers from `low` < ∞ to `high` > -∞ that is known to contain a value. All
/// operations on enclosures round outwards, even if they overflow or underflow. Source: Moore,
/// Methods and Applications of Interval Analysis, SIAM 1979, chapter 2.
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
/// Returns [low, high] widened by the rounding error that the result of a function of the
/// mathematical library may have, but not across 0. Returns [-∞, ∞] if an end is NaN.
Enclosure widened(double low, double high);
/// Returns the smallest interval that contains both a and b.
Enclosure hull(const Enclosure& a, const Enclosure& b);

Enclosure operator-(const Enclosure& a);
Enclosure operator+(const Enclosure& a, const Enclosure& b);
Enclosure operator*(const Enclosure& a, const Enclosure& b);
Enclosure operator*(double factor, const Enclosure& a);
/// Returns an enclosure of a/b; it is [-∞, ∞] if b contains 0.
Enclosure operator/(const Enclosure& a, const Enclosure& b);
/// Returns an enclosure of {x/divisor : x in a}; `divisor` must be positive.
Enclosure operator/(const Enclosure& a, int divisor);
/// Returns an enclosure of {x² : x in a}.
Enclosure square_of(const Enclosure& a);
/// Returns an enclosure of {eˣ : x in a}, whose ends may be 0 by underflow and ∞ by overflow.
Enclosure exponential_of(const Enclosure& a);

/// Returns the range of the values of an expression over [first, last], computed by plain interval
/// arithmetic: each operation is evaluated once, on intervals of values without derivatives. The
/// result is wider than the true range where the variable occurs more than once, and approaches it
/// as the interval becomes shorter. The result is not rounded outwards. This function shares no
/// code with bounds_of(), so that it can check results that were derived from bounds_of().
/// Arguments at which the expression has no value are ignored. Both ends of the result are NaN if
/// the expression certainly has no value on [first, last]; a range with a single end that cannot be
/// computed, as in ∞ - ∞, is replaced by [-∞, ∞]. Local.
Enclosure plain_range(std::span<const Operation> operations, double first, double last);

}  // namespace masing::base
