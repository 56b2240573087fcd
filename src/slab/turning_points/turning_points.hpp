#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "slab/problem.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::slab {

/// A leg of the hysteresis curve: its first position, and the one where it meets the loop around
/// it.
struct RememberedLeg {
  double position = 0.0;
  double meeting = 0.0;
};

/// u of every cell at one time, from the turning points of its past; plain data. Positions and the
/// law are those of v = u - c (Slab).
struct RememberedElongation {
  double x0 = 0.0;                  ///< position where u = u0
  double x = 0.0;                   ///< position now
  int direction = 1;                ///< of the last move, +1 or -1
  double highest = 0.0;             ///< X⁺, the greatest x of the past
  double lowest = 0.0;              ///< X⁻, the least
  std::vector<RememberedLeg> legs;  ///< not yet wiped out, radii shrinking

  /// The elongation u of a cell, by its threshold, initial elongation and shift.
  [[nodiscard]] double operator()(const Element& cell) const {
    const double threshold = cell.threshold;
    double u = 0.0;
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
      } else {
        u = unreached(cell);
      }
    }
    return std::clamp(u, -threshold, threshold) + cell.shift;
  }

 private:
  /// u of a cell that no leg has reached.
  [[nodiscard]] double unreached(const Element& cell) const {
    switch (yield_set(cell, {highest - x0, x0 - lowest, highest - lowest})) {
      case YieldSet::never:
        return cell.initial_u + (x - x0);
      case YieldSet::down:
        return (x - lowest) - cell.threshold;
      case YieldSet::settled:
        // Where there is a leg, 2η is the span to rounding, and the cell as one yielded upwards.
        if (legs.empty()) {
          return direction * cell.threshold;
        }
        [[fallthrough]];
      case YieldSet::up:
        break;
    }
    return cell.threshold + (x - highest);
  }
};

/// Turning points as plain data: enough to restore them to the same bits.
struct TurningPointState {
  double x0 = 0.0;                ///< position where u = u0
  double x = 0.0;                 ///< position now
  int direction = 1;              ///< of the last move, +1 or -1
  double opposite = 0.0;          ///< the extreme of the past that neither X_1 nor x has extended
  std::vector<double> positions;  ///< X_1, …, X_n: turning positions not yet wiped out
  /// Of slip_energy(), what is wiped out; not a number where that is not followed.
  double wiped_out = std::numeric_limits<double>::quiet_NaN();
  /// Where x, or X_1 before it turned, began to extend its extreme; of use where u0 ≠ 0.
  double outer_start = x0;
};

/// S and dS/dx where a move ends, the latter in its direction.
struct Tangent {
  double force = 0.0;
  double stiffness = 0.0;
};

/// The slab of cells under increments common to all, represented by the turning points of x that
/// still matter.
/// On the leg from the last turning point X_n in direction σ the cells with η ≤ r = |x - X_n|/2
/// have yielded once more, the others have moved with x:
///     S(x) = S(X_n) + (x - X_n) (K(∞) - K(r)) + 2σ M(r),   K = Σ k δs, M = Σ k η δs over η ≤ r,
/// until x passes X_{n-1}, where the closed loop is wiped out; for n = 1, the extreme of the past
/// on the other side. On the outer curve, where there is no turning point, x extends an extreme,
/// and S is that of OuterSums. There, where u0 = 0, the two directions mirror each other, and x0 -
/// (X_1 - x0) takes the place of the other extreme:
///     S(x) = (x - x0) (K(∞) - K(r)) + σ M(r),   r = |x - x0|.
/// In exact arithmetic this is clamping every cell. Amortised cost of a move: one look-up in the
/// measure, which must outlive the object. Source: Madelung's and Masing's rules.
class TurningPoints {
 public:
  /// The state u = u0 at position `x0`.
  TurningPoints(const Measure& measure, double x0)
      : TurningPoints(measure, TurningPointState{x0, x0, 1, x0, {}}) {}

  /// The state from `state()` of an object on the same measure.
  TurningPoints(const Measure& measure, const TurningPointState& state);

  /// Where u = u0.
  [[nodiscard]] double x0() const { return x0_; }
  /// How many turning points still matter.
  [[nodiscard]] std::size_t turning_points() const { return around_.size(); }
  /// Position x.
  [[nodiscard]] double x() const { return x_; }
  /// Direction of the last move, +1 or -1 (+1 before the first).
  [[nodiscard]] int direction() const { return direction_; }
  /// S = Σ k u δs.
  [[nodiscard]] double internal_force() const { return force_; }
  /// The state as plain data.
  [[nodiscard]] TurningPointState state() const;

  /// Move monotonically from here to `x`; returns S there.
  double move_to(double x) { return x == x_ ? force_ : move_along(x).force; }

  /// The same; with dS/dx, for one look-up.
  Tangent move_along(double x) {
    pass_to(x);
    const Tangent here = tangent_at(x);
    force_ = here.force;
    return here;
  }
  /// The same, where ahead(x) has told the force.
  void move_along(double x, double force) {
    pass_to(x);
    force_ = force;
  }

  /// What move_along(x) would return, to the bit. Nothing moves, nothing is allocated; the legs
  /// that the move would close are found by a binary search, as those in one direction meet in
  /// order.
  [[nodiscard]] Tangent ahead(double x) const;

  /// What the sliders have taken since x0, ∫ S dx less the gain of ½ ∫ k v² ds, in closed form: on
  /// a leg 2 N(r), N = ∫ k η (r - η) ds over η ≤ r, as a cell that yields slides by 2 (r - η).
  /// Loops that were wiped out are summed up, the others are looked up. Requires that it is
  /// followed.
  [[nodiscard]] double slip_energy() const;

  /// Reverse the direction here: begin a new leg. Where x has never left x0, or is there and the
  /// directions mirror each other, no turning point is added.
  void reverse();

  /// S and dS/dx, the stiffness of the cells not at their limit, at a trial position on the present
  /// leg: from here in the present direction, not beyond corner(direction()). Nothing moves.
  [[nodiscard]] Tangent tangent_at(double x) const {
    return tangent_at(x, leg_, direction_, opposite_);
  }
  [[nodiscard]] double force_at(double x) const { return tangent_at(x).force; }
  [[nodiscard]] double stiffness_at(double x) const { return tangent_at(x).stiffness; }

  /// Whether S(x) on the present leg is a straight line between breaks and corners.
  [[nodiscard]] bool is_piecewise_linear() const { return measure_->is_cellwise(); }

  /// Whether x is on the outer curve of a slab with u0 ≠ 0. There S depends on both extremes, and a
  /// look far ahead costs as much as moving there.
  [[nodiscard]] bool is_outermost() const { return leg_.ratio == 0.0; }

  /// The position of the next corner of S when going from here in `direction` (±1): where a closed
  /// loop is wiped out; ±∞ if there is none.
  [[nodiscard]] double corner(int direction) const {
    return (direction == direction_ ? leg_ : turned()).meeting;
  }

  /// The first position beyond here, on the present leg, where S(x) is not smooth because the
  /// front reaches a break of the measure (Measure::next_break, or growth_to_break of the
  /// excursion); ±∞ if there is none. It may lie beyond the corner.
  [[nodiscard]] double next_break() const;

  /// u of every cell at present, as plain data.
  [[nodiscard]] RememberedElongation elongation() const;

 private:
  /// A leg of the curve. The outer one begins at x0 and meets nothing: ±∞.
  struct Leg {
    double position = 0.0;  ///< the first
    double meeting = 0.0;   ///< where it meets the loop around it
    double force = 0.0;     ///< S at the first position
    double ratio = 0.5;     ///< r / |x - position|; of the outer one 1, or 0 where u0 ≠ 0
  };

  /// The turning points of a move from here to `x`, all but the force there.
  void pass_to(double x) {
    if (x != x_ && (x > x_) != (direction_ > 0)) [[unlikely]] {
      reverse();
    }
    while (direction_ * (x - leg_.meeting) >= 0.0)
      [[unlikely]] {
        wipe_out_loop();
      }
    x_ = x;
  }

  /// At x on a leg in `direction`.
  [[nodiscard]] Tangent tangent_at(double x, const Leg& leg, int direction, double opposite) const {
    if (leg.ratio == 0.0) [[unlikely]] {
      return outer_tangent(excursion_at(x, direction, opposite), direction);
    }
    const Sums yielded = measure_->below(radius_at(x, leg, direction), hint_);
    const double stiffness = measure_->total().stiffness - yielded.stiffness;
    return {leg.force + (x - leg.position) * stiffness + direction / leg.ratio * yielded.force,
            stiffness};
  }
  [[nodiscard]] Tangent outer_tangent(const Excursion& excursion, int direction) const;
  [[nodiscard]] static double radius_at(double x, const Leg& leg, int direction) {
    return std::max(0.0, leg.ratio * direction * (x - leg.position));
  }
  [[nodiscard]] Excursion excursion_at(double x, int direction, double opposite) const {
    const double high = direction > 0 ? x : opposite;
    const double low = direction > 0 ? opposite : x;
    return {high - x0_, x0_ - low, high - low};
  }
  /// The present legs, from the outer one to the last.
  [[nodiscard]] const Leg& leg(std::size_t i) const {
    return i < around_.size() ? around_[i] : leg_;
  }
  [[nodiscard]] Leg outer_leg(int direction) const;
  /// The one that a reversal here begins.
  [[nodiscard]] Leg turned() const;
  /// slip_energy() from outer_start to `x` on the outer curve in `direction`.
  [[nodiscard]] double outer_slip(double x, int direction) const;
  [[nodiscard]] double next_outer_break() const;

  /// Drop both ends of the loop that the leg has closed; around the first turning point there is
  /// only the outer curve.
  void wipe_out_loop();

  const Measure* measure_;
  double x0_ = 0.0;
  double opposite_ = 0.0;  // the extreme that the outer curve leaves behind; x0 where it mirrors
  double x_ = 0.0;
  double force_ = 0.0;
  Leg leg_;  // the present one, beside the others so that a move looks nowhere else
  int direction_ = 1;
  mutable SearchHint hint_;
  std::vector<Leg> around_;   // from the outer one on, those that go on where loops are closed
  double wiped_out_ = 0.0;    // of slip_energy(), if that is followed
  double outer_start_ = 0.0;  // where the outer curve began to go this way
};

/// Moves the slab monotonically to the x with k0 x + S(x) = force: from one corner to the next,
/// and on the last leg to the root. Returns false, and moves nothing, where there is
/// none: k0 = 0 and |force| not below `saturation`, the largest S: Measure::total().force. Source:
/// (7) with m = 0, continuous-masing-2001.
bool move_to_equilibrium(TurningPoints& turning_points, double k0, double force, double saturation);

}  // namespace masing::slab
