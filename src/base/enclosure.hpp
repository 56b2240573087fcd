#pragma once

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

}  // namespace masing::base
