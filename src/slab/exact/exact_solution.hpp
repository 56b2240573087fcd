#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "base/smooth_pieces.hpp"
#include "slab/problem.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::slab {

using base::Clock;
using base::least_span;
using base::SmoothPieces;
using base::starting_direction;

/// S(x) on the smooth part of the present leg of `turning_points`, from here up to end();
/// `turning_points` must outlive the law, unchanged. Of finitely many cells it is a straight line,
/// which goes on beyond both ends.
class LegForce {
 public:
  explicit LegForce(const TurningPoints& turning_points);

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
  OscillatorStep(const Oscillator& oscillator, const SmoothPieces& force, const LegForce& law,
                 const TimedMotion& start, StepMethod method)
      : oscillator_(oscillator), force_(&force), law_(law), start_(start), method_(method) {}

  [[nodiscard]] const TimedMotion& start() const { return start_; }
  [[nodiscard]] const LegForce& law() const { return law_; }

  /// x'' at a motion on this law.
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
    return slab::acceleration(oscillator_, force, {x, y, law_(x)});
  }
  [[nodiscard]] TimedMotion step(const TimedMotion& from, double h) const;

  Oscillator oscillator_;
  const SmoothPieces* force_;
  LegForce law_;
  TimedMotion start_;
  StepMethod method_;
};

/// A step of length h and where it leads.
struct EventStep {
  double h = 0.0;
  TimedMotion end;
  bool turns_back = false;  ///< from rest, the mass moves the other way
};

/// Step control of the exact solution.
struct ExactOptions {
  double tolerance = 1e-15;  ///< error of one step in x·ω and y, relative to 1 + |x|ω + |y|
  /// In units of 1/ω, ω² = (k0 + ∫k)/m, or of m/c where that is shorter.
  double longest_step = 0.25;
  StepMethod method = StepMethod::fehlberg;
};

/// The solution of the inclusion, exact in time: between events m x'' = F - k0 x - c x' - S(x) with
/// a smooth S, solved to rounding by an eighth-order method; each event (a reversal, a closed loop,
/// the front reaching a break of the measure, a break of F) is found to rounding. Exact in s, too,
/// for a measure with P = ∞. A step is taken only where F is resolved within it
/// (SmoothPieces::is_resolved), however narrow what F does. Source: (7), continuous-masing-2001.
class ExactSolution {
 public:
  /// The solution from t = 0, u = u0, or with the slab as a past leaves it at x0. `measure` must
  /// outlive the object.
  ExactSolution(const Measure& measure, const Oscillator& oscillator, SmoothPieces force,
                const ExactOptions& options = {},
                const std::optional<TurningPointState>& past = {});
  ~ExactSolution() = default;
  // The planned step refers to turning_points_.
  ExactSolution(const ExactSolution&) = delete;
  ExactSolution& operator=(const ExactSolution&) = delete;

  /// x, y, S at time t ≥ 0. Times must not decrease. Throws UserError where F is not finite.
  MassState at(double t);

  /// A reversal of the mass.
  struct Reversal {
    double time = 0.0;
    double x = 0.0;
    int direction = 1;       ///< before it: +1 at a maximum of x, -1 at a minimum
    TurningPointState past;  ///< of the slab, before it
  };

  /// Goes on to the next reversal up to the time t; nothing where there is none. at() may be called
  /// only for later times then.
  std::optional<Reversal> next_reversal(double t);

  /// What velocities are to be compared with: ω mean η + ω|x| + |y| now.
  [[nodiscard]] double speed_scale() const {
    return speed_scale_ + std::abs(motion_.x) * frequency_ + std::abs(motion_.y);
  }
  /// ω, ω² = (k0 + ∫k)/m.
  [[nodiscard]] double frequency() const { return frequency_; }

  /// Add up works from now on, at a third more cost; before the first call of at().
  void follow_works() { follows_works_ = true; }
  /// The works from t = 0 to the time of the last call of at(), if they are followed.
  [[nodiscard]] Works works() const {
    return planned_ && !planned_->at_rest ? works_ + planned_->step.works(shown_span_) : works_;
  }

  /// The turning points at the time of the last call of at(), to find u(t, s).
  [[nodiscard]] TurningPoints turning_points() const;

 private:
  /// The next step, accepted: from motion_ and turning_points_.
  struct Planned {
    OscillatorStep step;
    EventStep whole;
    bool at_rest = false;
  };

  void plan();

  /// Turn to `direction` if necessary, and pass corners that x has reached.
  void face(int direction);

  void plan_rest(double span);

  /// Plan a step in the present direction; false if the mass, from rest, goes the other way.
  bool plan_motion();

  /// The part of a span from here in which F is resolved to the tolerance, half of it again and
  /// again. Throws UserError where F is resolved at no span for a thousand steps.
  double resolved(double span);

  /// Throws UserError where 2¹⁶ steps have not brought the time on by a part of 1e-6.
  void require_progress();

  /// The error of a step, over the tolerance or what the rounding of t makes of F, if that is more.
  [[nodiscard]] double relative_error(const OscillatorStep& step, const EventStep& taken) const;

  /// Go to the end of the planned step.
  void carry_out();

  Oscillator oscillator_;
  SmoothPieces force_;
  StepMethod method_;
  double tolerance_;
  double frequency_;    // ω
  double speed_scale_;  // mean η·ω
  double longest_step_;
  double fitting_step_;  // allowed by the errors of the last steps
  int unresolved_steps_ = 0;
  std::int64_t steps_ = 0;
  double window_start_ = 0.0;
  TurningPoints turning_points_;
  TimedMotion motion_;
  double position_;
  double shown_span_ = 0.0;  // from motion_ to the time of the last call of at()
  bool follows_works_ = false;
  Works works_;  // up to motion_
  std::optional<Planned> planned_;
};

/// To check a solution with: by another method, ten times the tolerance, 0.7 times the longest
/// step.
inline ExactOptions checking(const ExactOptions& options) {
  return {.tolerance = 10 * options.tolerance,
          .longest_step = 0.7 * options.longest_step,
          .method = StepMethod::gauss};
}

}  // namespace masing::slab
