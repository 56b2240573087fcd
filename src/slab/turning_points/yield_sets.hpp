#pragma once

#include "slab/problem.hpp"

namespace masing::slab {

/// How far x has been from where it started, x0: its extremes X⁺ ≥ x0 ≥ X⁻.
struct Extremes {
  double up = 0.0;    ///< A = X⁺ - x0
  double down = 0.0;  ///< B = x0 - X⁻
  double span = 0.0;  ///< R = X⁺ - X⁻

  /// The distance of the extreme in `direction` from x0.
  [[nodiscard]] double own(int direction) const { return direction > 0 ? up : down; }
};

/// The extremes when x goes on from one at `x`, the other one being `opposite`.
inline Extremes extremes_of(double x0, double x, double opposite, int direction) {
  const double high = direction > 0 ? x : opposite;
  const double low = direction > 0 ? opposite : x;
  return {high - x0, x0 - low, high - low};
}

/// What the extremes of x have made of a cell. With a = η - u0 and b = η + u0, a cell yields
/// upwards for the first time at A = a, downwards at B = b, and both at the latest where 2η = R:
///     settled  2η ≤ R            u is a function of η alone, that of the turning points
///     up       a ≤ A, 2η > R     u = η - (X⁺ - x)
///     down     b ≤ B, 2η > R     u = -η + (x - X⁻)
///     never    a > A, b > B      u = u0 + x - x0
enum class YieldSet { settled, up, down, never };

/// The set of a cell that has passed some of a ≤ A, b ≤ B, 2η ≤ R. In exact arithmetic the first
/// two together imply the third.
inline YieldSet yield_set(bool up, bool down, bool settled) {
  if (settled || (up && down)) {
    return YieldSet::settled;
  }
  return up ? YieldSet::up : down ? YieldSet::down : YieldSet::never;
}

/// Data of a cell that its law needs: an Element without its shift, which saves memory in tables of
/// many cells.
struct YieldCell {
  double stiffness = 0.0;
  double threshold = 0.0;
  double initial_u = 0.0;
};

/// a, b and 2η of a cell, an Element or YieldCell, which A, B and R have to reach.
template <class Cell>
Extremes yield_limits(const Cell& cell) {
  return {cell.threshold - cell.initial_u, cell.threshold + cell.initial_u, 2 * cell.threshold};
}

/// The set of a cell, an Element or YieldCell. Local.
template <class Cell>
YieldSet yield_set(const Cell& cell, const Extremes& extremes) {
  const Extremes limits = yield_limits(cell);
  return yield_set(limits.up <= extremes.up, limits.down <= extremes.down,
                   limits.span <= extremes.span);
}

/// Sums over a set of cells (integrals over a set of s where P = ∞).
struct Sums {
  double stiffness = 0.0;  ///< Σ k δs
  double force = 0.0;      ///< Σ k η δs
};

/// Sums over the sets where x is at an extreme, the one in direction σ:
///     S = force + σ (R opposite + D never),   dS/dx = opposite + never,   D = A or B.
struct OuterSums {
  double opposite = 0.0;  ///< Σ k δs over the cells that have yielded only in direction -σ
  double never = 0.0;     ///< Σ k δs over those that have never yielded
  double force = 0.0;  ///< Σ k δs times σ η (settled, or yielded only along σ), -σ η, and u0

  [[nodiscard]] double force_at(const Extremes& extremes, int direction) const {
    return force + direction * (extremes.span * opposite + extremes.own(direction) * never);
  }
};

}  // namespace masing::slab
