#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "masing/turning_points.hpp"

namespace masing {

/// A StiffnessMeasure from tables. A Table orders cells by some θ and has
///     total()         Σ k δs and Σ k θ δs over all cells,
///     below(r)        the same over θ ≤ r, nondecreasing in r and total() at the end,
///     next_break(r)   the least θ > r where below() is not smooth, or infinity,
///     is_cellwise     true if below() is constant between breaks.
template <class Table>
class TableMeasure {
 public:
  static constexpr bool is_cellwise = requires { requires Table::is_cellwise; };

  /// u0 = 0: the virgin order is the order in η.
  explicit TableMeasure(Table threshold) : threshold_(std::move(threshold)) {}

  /// `virgin`: tables over η - u0 and η + u0; `initial_force`: Σ k u0 δs.
  TableMeasure(Table threshold, std::array<Table, 2> virgin, double initial_force)
      : threshold_(std::move(threshold)),
        virgin_(std::move(virgin)),
        initial_force_(initial_force) {}

  [[nodiscard]] double total_stiffness() const { return threshold_.total().stiffness; }
  [[nodiscard]] double initial_force() const { return initial_force_; }
  [[nodiscard]] Sums below(double r) const { return threshold_.below(r); }
  [[nodiscard]] Sums virgin(double travel, int direction) const {
    return in_virgin_order(direction).below(travel);
  }

  /// ρ with 2ρ = travel + t', t' the least travel that makes the same cells yield the other way:
  ///     Σ_{η + σ u0 ≤ t'} k ≥ Σ_{η - σ u0 ≤ travel} k.
  /// Some hundred look-ups; needed at reversals on the virgin curve only.
  [[nodiscard]] double virgin_radius(double travel, int direction) const {
    if (!virgin_) {
      return travel;
    }
    // The totals of two tables may differ by rounding where P = ∞.
    const double yielded = std::min(virgin(travel, direction).stiffness,
                                    in_virgin_order(-direction).total().stiffness);
    const auto enough = [&](double t) { return virgin(t, -direction).stiffness >= yielded; };
    if (enough(0.0)) {
      return travel / 2;
    }
    double low = 0.0;
    double high = travel > 0.0 ? travel : 1.0;
    while (!enough(high)) {
      low = std::exchange(high, 2 * high);
    }
    const auto centre = [&] { return low + (high - low) / 2; };
    for (double middle = centre(); low < middle && middle < high; middle = centre()) {
      (enough(middle) ? high : low) = middle;
    }
    return (travel + high) / 2;
  }

  [[nodiscard]] double next_break(double r) const { return threshold_.next_break(r); }
  [[nodiscard]] double next_virgin_break(double travel, int direction) const {
    return in_virgin_order(direction).next_break(travel);
  }

 private:
  [[nodiscard]] const Table& in_virgin_order(int direction) const {
    return virgin_ ? (*virgin_)[direction > 0 ? 0 : 1] : threshold_;
  }

  Table threshold_;
  std::optional<std::array<Table, 2>> virgin_;
  double initial_force_ = 0.0;
};

}  // namespace masing
