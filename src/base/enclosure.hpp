#pragma once

#include <span>

namespace masing::base {

struct Operation;

/// The real numbers from `low` < ∞ to `high` > -∞; what a value is known to lie in. All operations
/// round outwards, also where they overflow or underflow. Source: R. E. Moore, Methods and
/// Applications of Interval Analysis, SIAM 1979, ch. 2.
struct Enclosure {
  double low = 0.0;
  double high = 0.0;

  [[nodiscard]] bool contains(double value) const { return low <= value && value <= high; }
  /// Whether both ends are finite.
  [[nodiscard]] bool is_finite() const { return low - low == 0.0 && high - high == 0.0; }
  /// The largest absolute value; NaN counts as infinite.
  [[nodiscard]] double magnitude() const;
};

/// All real numbers.
Enclosure everything();
/// [low, high], and what functions of the mathematical library may be off; a sign is kept.
/// Everything where an end is not a number.
Enclosure widened(double low, double high);
/// The least enclosure of both.
Enclosure hull(const Enclosure& a, const Enclosure& b);

Enclosure operator-(const Enclosure& a);
Enclosure operator+(const Enclosure& a, const Enclosure& b);
Enclosure operator*(const Enclosure& a, const Enclosure& b);
Enclosure operator*(double factor, const Enclosure& a);
/// Everything where b contains 0.
Enclosure operator/(const Enclosure& a, const Enclosure& b);
/// {x/divisor : x in a}, divisor > 0.
Enclosure operator/(const Enclosure& a, int divisor);
/// {x² : x in a}.
Enclosure square_of(const Enclosure& a);
/// {eˣ : x in a}, from 0 where it underflows to ∞ where it overflows.
Enclosure exponential_of(const Enclosure& a);

/// The range of an expression's values over [first, last] by plain interval arithmetic: each
/// operation once, on values alone. It is wider than the true range where the variable occurs more
/// than once, and closes in on it as the interval shortens. It shares nothing with the series of
/// bounds_of(), and can check what follows from them. Not rounded outwards. Everything where a part
/// is not a number. Local.
Enclosure plain_range(std::span<const Operation> operations, double first, double last);

}  // namespace masing::base
