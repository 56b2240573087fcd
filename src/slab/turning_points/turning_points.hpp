#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "slab/problem.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::slab {

/// A leg of the hysteresis curve that the slab remembers: `position` is the x at which the leg
/// begins, `meeting` is the x at which it meets the loop around it.
struct RememberedLeg {
  double position = 0.0;
  double meeting = 0.0;
};

/// The elongation u of every element at one time, as a function of the element; plain data. The
/// past turning points determine v = u - c (see Slab); u is this v plus c.
struct RememberedElongation {
  /// The position at the start, where u = u0.
  double x0 = 0.0;
  /// The present position.
  double x = 0.0;
  /// The direction of the last move, +1 or -1.
  int direction = 1;
  /// X⁺, the greatest x so far.
  double highest = 0.0;
  /// X⁻, the least x so far.
  double lowest = 0.0;
  /// The legs not yet wiped out, from the outermost to the present one.
  std::vector<RememberedLeg> legs;

  /// Returns the elongation u of a cell with the given η, v0 and c (see Slab). Local.
  [[nodiscard]] double operator()(const Element& cell) const {
    const double threshold = cell.threshold;
    double u = 0.0;
    if (!legs.empty() && threshold <= 0.5 * direction * (x - legs.back().position)) {
      u = direction * threshold;
    } else {
      // A cell was at its threshold at the beginning of those legs for which 2η ≤ |position -
      // meeting|. This distance decreases from leg to leg. The innermost leg whose distance is at
      // least 2η determines the v of the cell.
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
  /// Returns v of a cell that was not at its threshold at the beginning of any remembered leg.
  [[nodiscard]] double unreached(const Element& cell) const {
    const YieldSet set = yield_set(cell, {highest - x0, x0 - lowest, highest - lowest});
    if (set == YieldSet::never) {
      return cell.initial_u + (x - x0);
    }
    if (set == YieldSet::down) {
      return (x - lowest) - cell.threshold;
    }
    // If legs are remembered, a settled cell comes here only if 2η equals X⁺ - X⁻ within rounding
    // errors. Its v is then that of a cell that has yielded upwards.
    return set == YieldSet::settled && legs.empty() ? direction * cell.threshold
                                                    : cell.threshold + (x - highest);
  }
};

/// The state of TurningPoints as plain data, from which the object can be restored with the same
/// bits.
struct TurningPointState {
  /// The position at the start, where u = u0.
  double x0 = 0.0;
  /// The present position.
  double x = 0.0;
  /// The direction of the last move, +1 or -1.
  int direction = 1;
  /// If the most recent move along the outer curve (see TurningPoints) was upwards, this is the
  /// least x so far; if it was downwards, the greatest. If v0 = 0 in all elements (see Slab), this
  /// member is always x0.
  double opposite = 0.0;
  /// X_1, …, X_n: the turning points not yet wiped out.
  std::vector<double> positions;
  /// The part of slip_energy() that belongs to loops and legs that have been wiped out; NaN if this
  /// energy is not computed.
  double wiped_out = std::numeric_limits<double>::quiet_NaN();
  /// The position where x joined the outer curve most recently; used only if v0 ≠ 0 in some
  /// element.
  double outer_start = x0;
};

/// The internal force S at the end of a move, and the slope dS/dx of S if x goes on in the same
/// direction.
struct Tangent {
  double force = 0.0;
  double stiffness = 0.0;
};

/// A slab whose elements all undergo the same increments of x, represented by those turning points
/// of x on which the elongations still depend. Here S = Σ k v δs is the internal force without the
/// constant Oscillator::preload; v = u - c and v0 = u0 - c are defined at Slab. The present leg
/// begins at the innermost turning point X_n and has the direction σ. On it the elements with η ≤ r
/// = |x - X_n|/2 have yielded since X_n, and the others have moved with x:
///     S(x) = S(X_n) + (x - X_n) (K(∞) - K(r)) + 2σ M(r),   K = Σ k δs, M = Σ k η δs over η ≤ r.
/// This holds until x passes X_{n-1}, where the loop is closed and wiped out; for n = 1 it holds
/// until x passes the extreme of x on the side towards which x moves. The outer curve is the leg
/// before the first turning point. There x extends an extreme, and S is given by OuterSums. If v0 =
/// 0 in all elements, the outer curves in both directions are mirror images of each other; then
///     S(x) = (x - x0) (K(∞) - K(r)) + σ M(r),   r = |x - x0|,
/// and the formula for the leg from X_1 holds until x passes x0 - (X_1 - x0). In exact arithmetic
/// the result is that of clamping the elongation of every element. On average over many moves, a
/// move costs one look-up in the measure. The measure must outlive the object. All functions are
/// local. Source: Madelung's and Masing's rules.
class TurningPoints {
 public:
  /// A leg of the hysteresis curve. The outer curve begins at x0 and meets no other leg; its
  /// `meeting` is ±∞.
  struct Leg {
    /// The position where the leg begins.
    double position = 0.0;
    /// The position where the leg meets the loop around it.
    double meeting = 0.0;
    /// S at the beginning of the leg.
    double force = 0.0;
    /// r / |x - position|: ½ on a leg that begins at a turning point, and 1 on the outer curve if
    /// v0 = 0. On the outer curve of a slab with v0 ≠ 0, r is not used; the value 0 marks this
    /// case.
    double ratio = 0.5;
  };

  /// The present position, force and leg of a slab.
  struct Present {
    Leg leg = {};
    double x = 0.0;
    double force = 0.0;
    int direction = 1;
  };

  /// The rest of what a slab remembers.
  struct Past {
    /// The legs around the present one, from the outer curve inwards.
    std::vector<Leg> around = {};
    double opposite = 0.0;  ///< the same number as TurningPointState::opposite
  };

  /// Begins with u = u0 at the position `x0`.
  TurningPoints(const Measure& measure, double x0)
      : TurningPoints(measure, TurningPointState{x0, x0, 1, x0, {}}) {}

  /// Restores the state that state() returned for an object with the same measure.
  TurningPoints(const Measure& measure, const TurningPointState& state);

  /// Returns the position where u = u0.
  [[nodiscard]] double x0() const { return x0_; }
  /// Returns the number of turning points that are remembered.
  [[nodiscard]] std::size_t turning_points() const { return around_.size(); }
  /// Returns the present position x.
  [[nodiscard]] double x() const { return x_; }
  /// Returns the direction of the last move, +1 or -1; before the first move it is that of the
  /// state from which the object was constructed.
  [[nodiscard]] int direction() const { return direction_; }
  /// Returns S at the present position.
  [[nodiscard]] double internal_force() const { return force_; }
  /// Returns the state as plain data.
  [[nodiscard]] TurningPointState state() const;

  /// Moves monotonically from the present position to `x` and returns S there.
  double move_to(double x) { return x == x_ ? force_ : move_along(x).force; }

  /// Moves like move_to() and returns both S and dS/dx, with one look-up.
  Tangent move_along(double x) {
    pass_to(x);
    const Tangent here = tangent_at(x);
    force_ = here.force;
    return here;
  }
  /// Moves like move_to(), but without a look-up: `force` must be the force that ahead(x) returned.
  void move_along(double x, double force) {
    pass_to(x);
    force_ = force;
  }

  /// Returns what move_along(x) would return, with the same bits, but moves nothing and allocates
  /// no memory. The legs in one direction are sorted by the positions where they meet the loops
  /// around them, so a binary search finds the legs that the move would close.
  [[nodiscard]] Tangent ahead(double x) const;

  /// Exchanges what the slab remembers for that of another slab of the same measure and the same
  /// x0, so that one object can move many slabs. TurningPointState::wiped_out must be NaN.
  void swap(Present& present, Past& past) {
    std::swap(leg_, present.leg);
    std::swap(x_, present.x);
    std::swap(force_, present.force);
    std::swap(direction_, present.direction);
    std::swap(around_, past.around);
    std::swap(opposite_, past.opposite);
  }

  /// Returns the energy that the sliders have dissipated since the start: ∫ S dx minus the increase
  /// of ½ ∫ k v² ds. If the thresholds differ by direction, only the work of k v is contained, not
  /// that of k c. The energy is computed in closed form. An element that yields on a leg slides by
  /// 2 (r - η) there, so that the leg contributes
  ///     2 N(r),   N(r) = ∫ k η (r - η) ds over η ≤ r.
  /// The contributions of loops that have been wiped out are stored; those of the remembered legs
  /// are looked up. Requires that TurningPointState::wiped_out was a number, not NaN, when the
  /// object was constructed. If v0 ≠ 0 in some element, also requires a measure that provides
  /// Measure::sums().
  [[nodiscard]] double slip_energy() const;

  /// Returns ½ ∫ k v² ds, if v0 = 0 in all elements. On a leg that begins at a turning point this
  /// energy changes by ½ (S_n + S) (x - X_n), as the work less 2 N(r) shows with the S above and
  /// ∫ G dr = (r G - N)/2. On the outer curve it is ½ S (x - x0) - ½ N(|x - x0|).
  [[nodiscard]] double elastic_energy() const;

  /// Reverses the direction at the present position, where a new leg begins. No turning point is
  /// added if x has never left x0, or if x is at x0 on the outer curve of a slab with v0 = 0.
  void reverse();

  /// Returns S and dS/dx at a position x on the present leg, which must lie between the present
  /// position and corner(direction()). The slope dS/dx is the stiffness of the elements that are
  /// not at their thresholds. The slab is not moved.
  [[nodiscard]] Tangent tangent_at(double x) const {
    return tangent_at(x, leg_, direction_, opposite_);
  }
  [[nodiscard]] double force_at(double x) const { return tangent_at(x).force; }
  [[nodiscard]] double stiffness_at(double x) const { return tangent_at(x).stiffness; }

  /// Returns whether S(x) is a straight line between breaks and corners. Otherwise it is only
  /// smooth there.
  [[nodiscard]] bool is_piecewise_linear() const { return measure_->is_cellwise(); }

  /// Returns whether x is on the outer curve of a slab in which v0 ≠ 0 in some element. There S
  /// depends on both extremes, and evaluating S far ahead costs as much as moving there.
  [[nodiscard]] bool is_outermost() const { return leg_.ratio == 0.0; }

  /// Returns the position of the next corner of S when x goes from here in `direction` (±1). A
  /// corner is where a closed loop is wiped out. Returns ±∞ if there is none.
  [[nodiscard]] double corner(int direction) const {
    return (direction == direction_ ? leg_ : turned()).meeting;
  }

  /// Returns the first position ahead on the present leg where S(x) may not be smooth, or ±∞ if
  /// there is none. It is the position where the front reaches a break of the measure
  /// (Measure::next_break()). If is_outermost(), it is the position up to which the sums of
  /// Measure::outer() are smooth. It may lie beyond the corner.
  [[nodiscard]] double next_break() const;

  /// Returns the present elongations of all elements as plain data.
  [[nodiscard]] RememberedElongation elongation() const;

 private:
  /// Updates the turning points and x for a move to `x`, but not the force.
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

  /// Returns S and dS/dx at x on a given leg in `direction`; `opposite` is as in TurningPointState.
  [[nodiscard]] Tangent tangent_at(double x, const Leg& leg, int direction, double opposite) const {
    if (leg.ratio == 0.0) [[unlikely]] {
      return outer_tangent(excursion_at(x, direction, opposite), direction);
    }
    const Sums yielded = measure_->below(radius_at(x, leg, direction), hint_);
    const double stiffness = measure_->total().stiffness - yielded.stiffness;
    return {leg.force + (x - leg.position) * stiffness + direction / leg.ratio * yielded.force,
            stiffness};
  }
  /// Returns S and dS/dx on the outer curve if v0 ≠ 0 in some element.
  [[nodiscard]] Tangent outer_tangent(const Excursion& excursion, int direction) const;
  /// Returns the front r at the position x on a leg.
  [[nodiscard]] static double radius_at(double x, const Leg& leg, int direction) {
    return std::max(0.0, leg.ratio * direction * (x - leg.position));
  }
  /// Returns how far the mass has moved away from x0 when it is at `x` on the outer curve in
  /// `direction`. `opposite` is the extreme on the other side.
  [[nodiscard]] Excursion excursion_at(double x, int direction, double opposite) const {
    const double high = direction > 0 ? x : opposite;
    const double low = direction > 0 ? opposite : x;
    return {high - x0_, x0_ - low, high - low};
  }
  /// Returns leg i of the nest: 0 is the outer curve, turning_points() is the present leg.
  [[nodiscard]] const Leg& leg(std::size_t i) const {
    return i < around_.size() ? around_[i] : leg_;
  }
  /// Returns the outer curve in `direction`.
  [[nodiscard]] Leg outer_leg(int direction) const;
  /// Returns the leg that a reversal at the present position would begin.
  [[nodiscard]] Leg turned() const;
  /// Returns the part of slip_energy() that arises on the outer curve in `direction` up to `x`. If
  /// v0 = 0 the outer curve begins at x0, otherwise at outer_start_.
  [[nodiscard]] double outer_slip(double x, int direction) const;
  /// Computes next_break() for the case that is_outermost() is true.
  [[nodiscard]] double next_outer_break() const;

  /// Removes both turning points of the loop that the present leg has closed. If the present leg
  /// began at the first turning point, all turning points are forgotten: the slab is on its outer
  /// curve.
  void wipe_out_loop();

  const Measure* measure_;
  double x0_ = 0.0;
  // The same number as TurningPointState::opposite.
  double opposite_ = 0.0;
  double x_ = 0.0;
  double force_ = 0.0;
  Leg leg_;  // the present leg, stored in the object so that a move reads no other memory
  int direction_ = 1;
  mutable SearchHint hint_;
  // The legs around the present one, from the outer curve inwards; a leg continues when the loop
  // inside it is closed.
  std::vector<Leg> around_;
  double wiped_out_ = 0.0;    // the same number as TurningPointState::wiped_out
  double outer_start_ = 0.0;  // the same number as TurningPointState::outer_start
};

/// Moves the slab monotonically to the position x with k0 x + S(x) = force, and returns true. It
/// moves the slab from corner to corner, and on the outer curve of a slab with v0 ≠ 0 from break to
/// break; then a root finder computes x. `saturation` is the largest S (the force of
/// Measure::total()). If k0 = 0 and |force| ≥ `saturation`, the function moves nothing and returns
/// false. Local. Source: (7) with m = 0, continuous-masing-2001.
bool move_to_equilibrium(TurningPoints& turning_points, double k0, double force, double saturation);

}  // namespace masing::slab
