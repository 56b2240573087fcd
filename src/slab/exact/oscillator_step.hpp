#pragma once

#include "base/smooth_pieces.hpp"
#include "slab/problem.hpp"
#include "slab/turning_points/turning_points.hpp"

/// Computes the motion of the mass over one step in which no event occurs: S(x) is smooth there,
/// and the equation of motion is solved by one of two methods.
namespace masing::slab {

using base::Clock;
using base::SmoothPieces;

/// The internal force S(x) (see TurningPoints) on a smooth piece of the present leg of
/// `turning_points`. The piece begins at the present position and ends at end(). `turning_points`
/// must outlive the object and must not change. If the leg is piecewise linear
/// (TurningPoints::is_piecewise_linear()) or no element is left to yield, S(x) is a straight line
/// on the piece, and may be evaluated beyond both of its ends.
class LegPiece {
 public:
  explicit LegPiece(const TurningPoints& turning_points);

  /// Returns the first position ahead where S(x) is not smooth: a corner, where a loop closes, or a
  /// position where the front reaches a break of the measure. Returns ±∞ if there is none. Local.
  [[nodiscard]] double end() const { return end_; }
  /// Returns S(x). Local.
  [[nodiscard]] double operator()(double x) const {
    return is_line_ ? force_ + stiffness_ * (x - middle_) : turning_points_->force_at(x);
  }

 private:
  const TurningPoints* turning_points_;
  double end_;
  bool is_line_;
  double middle_ = 0.0;
  double force_ = 0.0;
  double stiffness_ = 0.0;
};

/// The position and the velocity of the mass at a time.
struct TimedMotion {
  Clock clock;     ///< the time
  double x = 0.0;  ///< the position
  double y = 0.0;  ///< the velocity
};

/// The method that computes a step. `fehlberg` is the eighth-order Runge-Kutta-Fehlberg method.
/// `gauss` is collocation at five Gauss points, an implicit method of order 10, solved by
/// iteration. `gauss` serves to check a solution, because it evaluates F at other times than
/// `fehlberg` and makes other errors. Source: Hairer, Nørsett, Wanner, Solving Ordinary
/// Differential Equations I, II.7.
enum class StepMethod { fehlberg, gauss };

/// Solves m x'' = F(t) - k0 x - c x' - S(x) on a smooth piece of a leg, by one step of a given
/// length.
class OscillatorStep {
 public:
  /// `force` must outlive the object.
  OscillatorStep(const Oscillator& oscillator, const SmoothPieces& force, const LegPiece& leg_piece,
                 const TimedMotion& start, StepMethod method)
      : oscillator_(oscillator),
        force_(&force),
        leg_piece_(leg_piece),
        start_(start),
        method_(method) {}

  [[nodiscard]] const TimedMotion& start() const { return start_; }
  [[nodiscard]] const LegPiece& leg_piece() const { return leg_piece_; }

  /// Returns x'' for a motion on this piece of the leg. Local.
  [[nodiscard]] double acceleration(const TimedMotion& motion) const {
    return acceleration_by((*force_)(motion.clock.time), motion.x, motion.y);
  }

  /// Returns the motion at a time h after the start, computed in one step. Local.
  [[nodiscard]] TimedMotion after(double h) const { return step(start_, h); }

  /// Returns the works of the force, the slab and the damper from the start to the time h after the
  /// start. Local.
  [[nodiscard]] Works works(double h) const;

  /// Returns an estimate of the error of after(h): the larger of ω|Δx| and |Δy|. Here ω is
  /// `frequency`, and Δx and Δy are the differences between `end`, which must be after(h), and the
  /// result of two steps of length h/2. (The error estimate that is built into Fehlberg's method
  /// contains only errors due to x, none due to F(t).) Local.
  [[nodiscard]] double error(double h, const TimedMotion& end, double frequency) const;

  /// Returns an estimate of the error of y that is caused by rounding t in F(t). This error matters
  /// only in short steps; the function returns 0 if h > 10⁷ ε t, where ε is the machine precision.
  /// Local.
  [[nodiscard]] double rounding_of_time(double h) const;

 private:
  [[nodiscard]] double acceleration_by(double force, double x, double y) const {
    return slab::acceleration(oscillator_, force, {x, y, leg_piece_(x)});
  }
  /// Returns the motion at a time h after `from`, computed in one step.
  [[nodiscard]] TimedMotion step(const TimedMotion& from, double h) const;

  Oscillator oscillator_;
  const SmoothPieces* force_;
  LegPiece leg_piece_;
  TimedMotion start_;
  StepMethod method_;
};

/// A step of length h and the motion at its end.
struct EventStep {
  /// The length of the step.
  double h = 0.0;
  /// The motion at the end of the step.
  TimedMotion end;
  /// Whether the mass is at rest at the start and then moves against the direction of the leg; if
  /// so, h is 0.
  bool turns_back = false;
};

}  // namespace masing::slab
