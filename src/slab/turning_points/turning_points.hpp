#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <vector>

#include "slab/problem.hpp"

namespace masing::slab {

/// A leg of the hysteresis curve: its first position, and the one where it meets the loop around
/// it.
struct RememberedLeg {
  double position = 0.0;
  double meeting = 0.0;
};

/// u of every cell at one time, from the turning points of its past; plain data.
struct RememberedElongation {
  double x0 = 0.0;                  ///< position where u = u0
  double x = 0.0;                   ///< position now
  int direction = 1;                ///< of the last move, +1 or -1
  std::vector<RememberedLeg> legs;  ///< not yet wiped out, radii shrinking

  /// The elongation u of a cell, by its threshold and initial elongation.
  [[nodiscard]] double operator()(const Element& cell) const {
    const double threshold = cell.threshold;
    double u = cell.initial_u + (x - x0);
    if (!legs.empty() && threshold <= 0.5 * direction * (x - legs.back().position)) {
      u = direction * threshold;
    } else {
      // Radii shrink along the stack: the last turning point that reached the cell set its u.
      const auto after =
          std::partition_point(legs.begin(), legs.end(), [&](const RememberedLeg& leg) {
            return std::abs(leg.position - leg.meeting) >= 2 * threshold;
          });
      if (after != legs.begin()) {
        const RememberedLeg& leg = *std::prev(after);
        u = std::copysign(threshold, leg.position - leg.meeting) + (x - leg.position);
      }
    }
    return std::clamp(u, -threshold, threshold);
  }
};

/// Sums over a set of cells (integrals over a set of s where P = ∞).
struct Sums {
  double stiffness = 0.0;  ///< Σ k δs
  double force = 0.0;      ///< Σ k θ δs, θ what the set is ordered by: η, or η - σ u0
};

/// A distribution of stiffness over yield displacements.
///     total_stiffness()          K(∞) = Σ k δs over all cells;
///     initial_force()            Σ k u0 δs over all cells;
///     below(r)                   Σ k δs and Σ k η δs over the cells with η ≤ r;
///     virgin(travel, σ)          Σ k δs and Σ k (η - σ u0) δs over those with η - σ u0 ≤ travel,
///                                a beginning of the order in η if |u0 - u0'| ≤ |η - η'|;
///     virgin_radius(travel, σ)   a ρ ≥ travel/2 that parts these cells, by η, from the others.
template <class Measure>
concept StiffnessMeasure = requires(const Measure& measure, double travel, int direction) {
  { measure.total_stiffness() } -> std::convertible_to<double>;
  { measure.initial_force() } -> std::convertible_to<double>;
  { measure.below(travel) } -> std::convertible_to<Sums>;
  { measure.virgin(travel, direction) } -> std::convertible_to<Sums>;
  { measure.virgin_radius(travel, direction) } -> std::convertible_to<double>;
};

/// Turning points as plain data: enough to restore them to the same bits.
struct TurningPointState {
  double x0 = 0.0;                ///< position where u = u0
  double x = 0.0;                 ///< position now
  int direction = 1;              ///< of the last move, +1 or -1
  std::vector<double> positions;  ///< X_1, …, X_n: turning positions not yet wiped out
};

/// The slab of cells under increments common to all, represented by the turning points of x that
/// still matter.
/// On the leg from the last turning point X_n in direction σ the cells with η ≤ r = |x - X_n|/2
/// have yielded once more, the others have moved with x:
///     S(x) = S(X_n) + (x - X_n) (K(∞) - K(r)) + 2σ M(r),   K = Σ k δs, M = Σ k η δs over η ≤ r,
/// until x passes X_{n-1} (for n = 1: X_1 + 2σρ), where the closed loop is wiped out. On the virgin
/// curve, where there is no turning point,
///     S(x) = Σ k u0 δs + (x - x0) (K(∞) - K) + σ M,
///     K = Σ k δs, M = Σ k (η - σ u0) δs over η - σ u0 ≤ σ(x - x0).
/// In exact arithmetic this is clamping every cell. Amortised cost of a move: one look-up in the
/// measure, which must outlive the object. Source: Madelung's and Masing's rules.
template <StiffnessMeasure Measure>
class TurningPoints {
 public:
  /// The state u = u0 at position `x0`.
  TurningPoints(const Measure& measure, double x0)
      : TurningPoints(measure, TurningPointState{x0, x0, 1, {}}) {}

  /// The state from `state()` of an object on the same measure.
  TurningPoints(const Measure& measure, const TurningPointState& state)
      : measure_(&measure),
        total_stiffness_(measure.total_stiffness()),
        x0_(state.x0),
        x_(state.x0) {
    direction_ = state.positions.empty() ? state.direction : sign(state.positions.front() - x0_);
    for (const double position : state.positions) {
      x_ = position;
      force_ = force_at(position);
      reverse();
    }
    x_ = state.x;
    force_ = force_at(x_);
  }

  /// Position x.
  [[nodiscard]] double x() const { return x_; }
  /// Direction of the last move, +1 or -1 (+1 before the first).
  [[nodiscard]] int direction() const { return direction_; }
  /// S = Σ k u δs.
  [[nodiscard]] double internal_force() const { return force_; }
  /// The state as plain data.
  [[nodiscard]] TurningPointState state() const {
    TurningPointState plain{x0_, x_, direction_, {}};
    for (const Level& level : levels_) {
      plain.positions.push_back(level.position);
    }
    return plain;
  }

  /// Move monotonically from here to `x`; returns S there.
  double move_to(double x) {
    if (x == x_) {
      return force_;
    }
    if ((x > x_) != (direction_ > 0)) [[unlikely]] {
      reverse();
    }
    while (!levels_.empty() && direction_ * (x - levels_.back().meeting) >= 0.0)
      [[unlikely]] {
        wipe_out_loop();
      }
    x_ = x;
    force_ = force_at(x);
    return force_;
  }

  /// Reverse the direction here: begin a new leg. At x0 on the virgin curve nothing has yielded,
  /// and no turning point is added.
  void reverse() {
    if (!levels_.empty()) {
      levels_.push_back({x_, levels_.back().position, force_});
    } else if (x_ != x0_) {
      levels_.push_back({x_, mirrored(), force_});
    }
    direction_ = -direction_;
  }

  /// S at a trial position on the present leg: from here in the present direction, not beyond
  /// corner(direction()). Nothing moves.
  [[nodiscard]] double force_at(double x) const {
    if (levels_.empty()) [[unlikely]] {
      const Sums yielded = measure_->virgin(travel_at(x), direction_);
      return measure_->initial_force() + (x - x0_) * (total_stiffness_ - yielded.stiffness) +
             direction_ * yielded.force;
    }
    const Level& leg = levels_.back();
    const Sums yielded = measure_->below(radius_at(leg, x));
    return leg.force + (x - leg.position) * (total_stiffness_ - yielded.stiffness) +
           2 * direction_ * yielded.force;
  }

  /// dS/dx at a trial position on the present leg: the stiffness of the cells not at their limit.
  [[nodiscard]] double stiffness_at(double x) const {
    return total_stiffness_ - (levels_.empty()
                                   ? measure_->virgin(travel_at(x), direction_).stiffness
                                   : measure_->below(radius_at(levels_.back(), x)).stiffness);
  }

  /// The position of the next corner of S when going from here in `direction` (±1): where a closed
  /// loop is wiped out; ±∞ if there is none.
  [[nodiscard]] double corner(int direction) const {
    if (direction == direction_) {
      return levels_.empty() ? direction * infinity : levels_.back().meeting;
    }
    if (!levels_.empty()) {
      return levels_.back().position;
    }
    return x_ == x0_ ? direction * infinity : mirrored();
  }

  /// The first position beyond here, on the present leg, where S(x) is not smooth because the
  /// front reaches a break of the measure (Measure::next_break, next_virgin_break); ±∞ if there is
  /// none. It may lie beyond the corner.
  [[nodiscard]] double next_break() const {
    double place = levels_.empty() ? travel_at(x_) : radius_at(levels_.back(), x_);
    double position = x_;
    do {
      if (levels_.empty()) {
        place = measure_->next_virgin_break(place, direction_);
        position = x0_ + direction_ * place;
      } else {
        place = measure_->next_break(place);
        position = levels_.back().position + 2 * direction_ * place;
      }
    } while (direction_ * (position - x_) <= 0.0);
    return position;
  }

  /// u of every cell at present, as plain data.
  [[nodiscard]] RememberedElongation elongation() const {
    RememberedElongation u{x0_, x_, direction_, {}};
    for (const Level& level : levels_) {
      u.legs.push_back({level.position, level.meeting});
    }
    return u;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  /// A leg: its first position, the one where it meets the loop around it, S at the first.
  struct Level {
    double position;
    double meeting;
    double force;
  };

  static int sign(double value) { return value < 0.0 ? -1 : 1; }

  [[nodiscard]] double radius_at(const Level& leg, double x) const {
    return std::max(0.0, 0.5 * direction_ * (x - leg.position));
  }

  [[nodiscard]] double travel_at(double x) const { return std::max(0.0, direction_ * (x - x0_)); }

  /// Where a leg that begins here on the virgin curve returns to the virgin curve.
  [[nodiscard]] double mirrored() const {
    return x_ - 2 * direction_ * measure_->virgin_radius(travel_at(x_), direction_);
  }

  /// Drop both ends of the loop that the leg has closed; around the first turning point there is
  /// only the virgin curve.
  void wipe_out_loop() {
    levels_.pop_back();
    if (!levels_.empty()) {
      levels_.pop_back();
    }
  }

  const Measure* measure_;
  double total_stiffness_ = 0.0;
  double x0_ = 0.0;
  double x_ = 0.0;
  double force_ = 0.0;
  int direction_ = 1;
  std::vector<Level> levels_;
};

}  // namespace masing::slab
