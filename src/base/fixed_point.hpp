#pragma once

#include <cstdint>

namespace masing::base {

/// Sums as 64-bit integers in units of C·2⁻⁶², C the smallest power of two ≥ a known bound of the
/// sum: integer addition is associative, so the sum has the same bits in any order and grouping.
/// Adding a term rounds it to the unit (at most 2⁻⁶³ C); the total must stay within C.
class FixedPoint {
 public:
  /// `bound` in [1e-200, 1e200], a bound of |sum| and of every partial sum. Throws UserError
  /// beyond.
  explicit FixedPoint(double bound);

  /// C·2⁻⁶².
  [[nodiscard]] double unit() const { return unit_; }
  /// 1/unit, exact: multiply a term by it and round to the nearest integer.
  [[nodiscard]] double units_per_one() const { return units_per_one_; }
  /// The number that `units` units stand for, rounded once.
  [[nodiscard]] double value(std::int64_t units) const {
    return static_cast<double>(units) * unit_;
  }

 private:
  double unit_;
  double units_per_one_;
};

}  // namespace masing::base
