#pragma once

#include "base/smooth_pieces.hpp"
#include "slab/problem.hpp"
#include "slab/turning_points/turning_points.hpp"

/// The motion of the mass over one step within which nothing happens: S(x) on a smooth branch of
/// the hysteresis curve, and the equation of motion solved on it by one of two methods.
namespace masing::slab {

using base::Clock;
using base::SmoothPieces;

/// S(x) on the smooth part of the present leg of `turning_points`, from here up to end();
/// `turning_points` must outlive the branch, unchanged. Of finitely many cells it is a straight
/// line, which goes on beyond both ends.
class SmoothBranch {
 public:
  explicit SmoothBranch(const TurningPoints& turning_points);

  /// The first position ahead where S(x) is not smooth: a corner, or the front reaching a break of
  /// the measure; ±∞ if there is none.
  [[nodiscard]] double end() const { return end_; }
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

/// Position and velocity of the mass at a time.
struct TimedMotion {
  Clock clock;
  double x = 0.0;
  double y = 0.0;
};

/// How a step is made: by the eighth-order Runge-Kutta-Fehlberg method; or, to check a solution, by
/// collocation at Gauss's five points, of order 10, implicit, solved by iteration, which shares
/// with the first neither the times at which it asks for F nor its errors. Source: Hairer, Nørsett,
/// Wanner, Solving Ordinary Differential Equations I, II.7.
enum class StepMethod { fehlberg, gauss };

/// One step of m x'' = F(t) - k0 x - c x' - S(x) on the smooth part of a leg.
class OscillatorStep {
 public:
  /// `force` must outlive the object.
  OscillatorStep(const Oscillator& oscillator, const SmoothPieces& force,
                 const SmoothBranch& branch, const TimedMotion& start, StepMethod method)
      : oscillator_(oscillator), force_(&force), branch_(branch), start_(start), method_(method) {}

  [[nodiscard]] const TimedMotion& start() const { return start_; }
  [[nodiscard]] const SmoothBranch& branch() const { return branch_; }

  /// x'' at a motion on this branch.
  [[nodiscard]] double acceleration(const TimedMotion& motion) const {
    return acceleration_by((*force_)(motion.clock.time), motion.x, motion.y);
  }

  /// The motion a span h after the start, in one step.
  [[nodiscard]] TimedMotion after(double h) const { return step(start_, h); }

  /// What is done within a span h of the start.
  [[nodiscard]] Works works(double h) const;

  /// The error of after(h) against two steps of h/2: the maximum of |Δx|·ω and |Δy|. (Fehlberg's
  /// own estimate contains only the feedback of x, not F(t).)
  [[nodiscard]] double error(double h, const TimedMotion& end, double frequency) const;

  /// What the rounding of t, through F(t), makes of y in a step of few units in the last place of
  /// t; 0 for others.
  [[nodiscard]] double rounding_of_time(double h) const;

 private:
  [[nodiscard]] double acceleration_by(double force, double x, double y) const {
    return slab::acceleration(oscillator_, force, {x, y, branch_(x)});
  }
  [[nodiscard]] TimedMotion step(const TimedMotion& from, double h) const;

  Oscillator oscillator_;
  const SmoothPieces* force_;
  SmoothBranch branch_;
  TimedMotion start_;
  StepMethod method_;
};

/// A step of length h and where it leads.
struct EventStep {
  double h = 0.0;
  TimedMotion end;
  bool turns_back = false;  ///< from rest, the mass moves the other way
};

}  // namespace masing::slab
