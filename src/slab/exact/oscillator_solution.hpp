#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "slab/exact/oscillator_step.hpp"

namespace masing::slab {

/// How the steps of the solution are chosen.
struct StepControl {
  double tolerance = 1e-15;  ///< error of one step in x·ω and y, relative to 1 + |x|ω + |y|
  /// In units of 1/ω, ω² = (k0 + ∫k)/m, or of m/c where that is shorter.
  double longest_step = 0.25;
  StepMethod method = StepMethod::fehlberg;
};

/// The exact solution of a mass on a slab, in time: between events m x'' = F - k0 x - c x' - S(x)
/// with a smooth S, solved to rounding by an eighth-order method; each event (a reversal, a closed
/// loop, the front reaching a break of the measure, a break of F) is found to rounding. Exact in s,
/// too, for a measure with P = ∞. A step is taken only where F is resolved within it
/// (SmoothPieces::is_resolved), however narrow what F does. Source: (7), continuous-masing-2001.
class OscillatorSolution {
 public:
  /// The solution from t = 0, u = u0, or with the slab as a past leaves it at x0. `measure` must
  /// outlive the object.
  OscillatorSolution(const Measure& measure, const Oscillator& oscillator, SmoothPieces force,
                     const StepControl& options = {},
                     const std::optional<TurningPointState>& past = {});
  ~OscillatorSolution() = default;
  // The planned step refers to turning_points_.
  OscillatorSolution(const OscillatorSolution&) = delete;
  OscillatorSolution& operator=(const OscillatorSolution&) = delete;

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

  /// Adds up works from now on, at a third more cost; before the first call of at().
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

  /// Turns to `direction` if necessary, and passes corners that x has reached.
  void face(int direction);

  void plan_rest(double span);

  /// Plans a step in the present direction; false if the mass, from rest, goes the other way.
  bool plan_motion();

  /// The part of a span from here in which F is resolved to the tolerance, half of it again and
  /// again. Throws UserError where F is resolved at no span for a thousand steps.
  double resolved(double span);

  /// Throws UserError where 2¹⁶ steps have not brought the time on by a part of 1e-6.
  void require_progress();

  /// The error of a step, over the tolerance or what the rounding of t makes of F, if that is more.
  [[nodiscard]] double relative_error(const OscillatorStep& step, const EventStep& taken) const;

  /// Goes to the end of the planned step.
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
inline StepControl checking(const StepControl& options) {
  return {.tolerance = 10 * options.tolerance,
          .longest_step = 0.7 * options.longest_step,
          .method = StepMethod::gauss};
}

}  // namespace masing::slab
