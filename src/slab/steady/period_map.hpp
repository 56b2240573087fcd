#pragma once

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/function.hpp"
#include "base/periodicity.hpp"
#include "base/smooth_pieces.hpp"
#include "slab/exact/oscillator_solution.hpp"

namespace masing::slab {

/// A force F(t) of period τ.
struct PeriodicForce {
  base::Function drive;          ///< F, given for base::horizon periods from t = 0
  std::vector<double> breaks{};  ///< the times in (0, 8τ) at which F may not be smooth, increasing
  double period = 1.0;           ///< τ

  /// Returns the force F(t + phase) as a function of t ≥ 0. Local.
  [[nodiscard]] base::SmoothPieces from(double phase) const {
    phase -= std::floor(phase / period) * period;
    std::vector<double> later = breaks;
    for (double& at : later) {
      at -= phase;  // SmoothPieces ignores breaks before 0
    }
    return {[f = drive, phase](double t) { return f(t + phase); }, std::move(later),
            base::horizon * period - phase,
            [f = drive, phase](double first, double last) {
              return f.bounds(first + phase, last + phase);
            }};
  }
};

/// The state of the mass and the slab at an extreme of the motion, where y = 0. Together with the
/// force it determines the later motion.
struct Extreme {
  /// The time of the extreme, counted from the beginning of a period of the force. Only its
  /// remainder modulo τ matters.
  double phase = 0.0;
  /// The position of the mass.
  double x = 0.0;
  /// The turning points that the slab remembers when the mass arrives, before it turns.
  TurningPointState past;
  int side = 1;  ///< +1 at a maximum of x, -1 at a minimum
};

/// The result of following a motion from an extreme to a later reversal.
struct Passage {
  /// The time from the extreme to the reversal.
  double span = 0.0;
  /// The position at the reversal.
  double x = 0.0;
  /// The least x on the way.
  double least_x = 0.0;
  /// The greatest x on the way.
  double most_x = 0.0;
  /// The turning points that the slab remembers at the reversal, before the mass turns.
  TurningPointState past;
  Works works;  ///< the works on the way, or 0 if they were not requested
};

/// The state of the mass and the slab at a time t = nτ, where a period of the force ends and the
/// next one begins.
struct PeriodEnd {
  double x = 0.0;          ///< the position of the mass
  double y = 0.0;          ///< the velocity of the mass
  TurningPointState past;  ///< the turning points that the slab remembers
};

/// Returns the state `past` with its present leg lengthened or shortened, so that it ends at x
/// instead of past.x. The leg has the given `direction`. Loops that it closes before x are wiped
/// out. Returns nothing if x lies before the beginning of the leg. Local.
std::optional<TurningPointState> past_on_arrival(const Measure& measure, TurningPointState past,
                                                 double x, int direction);

/// Computes the motion of a mass on a slab under a periodic force by OscillatorSolution, from an
/// extreme of x (where y = 0) or from the beginning of a period. The outer extreme of a cycle is
/// the one at which fewer turning points are remembered. These turning points lie outside the
/// cycle, so that the cycle does not change them. Therefore the next reversals depend on two
/// numbers only, the phase and x of the outer extreme. This dependence is smooth, except where the
/// motion just touches an event without passing it. A cycle should not begin at its inner extreme,
/// because the outer extreme may still be among the turning points that are remembered there.
class PeriodMap {
 public:
  /// `measure` must outlive the object.
  PeriodMap(const Measure& measure, const Oscillator& oscillator, PeriodicForce force)
      : measure_(&measure), oscillator_(oscillator), force_(std::move(force)) {}

  [[nodiscard]] const Measure& measure() const { return *measure_; }
  [[nodiscard]] const Oscillator& oscillator() const { return oscillator_; }
  [[nodiscard]] const PeriodicForce& force() const { return force_; }
  /// Returns ω, where ω² = (k0 + ∫k)/m: the angular frequency of oscillations in which no element
  /// yields. Local.
  [[nodiscard]] double frequency() const {
    return std::sqrt((oscillator_.k0 + measure_->total().stiffness) / oscillator_.mass);
  }

  /// Returns the solution that starts at an extreme. Returns nothing if x or the phase of the
  /// extreme is not finite, or if past_on_arrival() returns nothing. Local.
  [[nodiscard]] std::optional<OscillatorSolution> from(const Extreme& start) const;
  /// Returns the solution that starts at the beginning of a period. Local.
  [[nodiscard]] OscillatorSolution from(const PeriodEnd& start) const;

  /// Follows the motion from an extreme, and chooses among its later extremes of x on the same side
  /// the one whose time after the extreme is nearest to `span`. Returns the passage
  /// to it. Returns nothing if this time differs from `span` by half a period or more, if there is
  /// no such extreme, or if from(start) returns nothing. If `with_works`, the works are also
  /// computed, which takes a third more time. Local.
  [[nodiscard]] std::optional<Passage> passage(const Extreme& start, double span,
                                               bool with_works = false) const;

  /// Returns the state one period after `start`. Local.
  [[nodiscard]] PeriodEnd period_after(const PeriodEnd& start) const;

  /// Examines the motion for `periods` periods from the beginning of a period, and returns the
  /// outer extreme. Of the greatest and the least x at a reversal, this is the one with fewer
  /// remembered turning points; if both have equally many, it is the greatest x. Returns nothing if
  /// the mass does not reverse. Local.
  [[nodiscard]] std::optional<Extreme> outer_extreme(const PeriodEnd& start, int periods) const;

 private:
  /// Returns the oscillator with x and y as its initial position and velocity.
  [[nodiscard]] Oscillator at(double x, double y) const;

  const Measure* measure_;
  Oscillator oscillator_;
  PeriodicForce force_;
};

}  // namespace masing::slab
