#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "slab/exact/oscillator_step.hpp"

namespace masing::slab {

/// The options that control the steps of the solution.
struct StepControl {
  /// The largest allowed error of ωx and of y in one step, relative to
  /// OscillatorSolution::speed_scale(). Where rounding of t causes larger errors, these are
  /// allowed; see relative_error().
  double tolerance = 1e-15;
  /// The length of the longest step in units of 1/ω, where ω² = (k0 + ∫k)/m, or in units of m/c if
  /// m/c is less than 1/ω. No step is longer than T/64.
  double longest_step = 0.25;
  /// The method that computes the steps.
  StepMethod method = StepMethod::fehlberg;
};

/// Computes the motion of a mass on a slab with errors of the order of rounding, independently of
/// any time grid. Between two events S(x) is smooth, and a method of high order (StepMethod) with
/// adaptive steps solves m x'' = F - k0 x - c x' - S(x). The events are reversals, positions where
/// a loop closes, positions where the front reaches a break of the measure, and breaks of F; the
/// time of each event is computed within rounding errors. With a measure for P = ∞ the slab is not
/// discretized in s. A step is accepted only if F is resolved within it
/// (SmoothPieces::try_to_resolve), or if its length is a few units in the last place of t. If
/// `force` has bounds, a pulse of F can be missed only if it is narrower than such a short step, or
/// if its effect is of the order of rounding. Source: (7), continuous-masing-2001.
class OscillatorSolution {
 public:
  /// Begins the solution at t = 0 with the x0 and y0 of the oscillator. The slab has u = u0 or, if
  /// `past` is given, remembers the turning points in `past`. `measure` must outlive the object.
  OscillatorSolution(const Measure& measure, const Oscillator& oscillator, SmoothPieces force,
                     const StepControl& options = {},
                     const std::optional<TurningPointState>& past = {});
  ~OscillatorSolution() = default;
  // The object cannot be copied, because the planned step has a pointer to turning_points_.
  OscillatorSolution(const OscillatorSolution&) = delete;
  OscillatorSolution& operator=(const OscillatorSolution&) = delete;

  /// Returns the state of the mass at a time t ≥ 0. The times of successive calls must not
  /// decrease. Throws UserError if F is not finite or varies too fast to be resolved. Local.
  MassState at(double t);

  /// A reversal of the mass, where y = 0.
  struct Reversal {
    /// The time of the reversal.
    double time = 0.0;
    /// The position of the mass.
    double x = 0.0;
    /// The direction of motion before the reversal: +1 at a maximum of x, -1 at a minimum.
    int direction = 1;
    TurningPointState past;  ///< the state of the slab before the reversal
  };

  /// Advances the solution to the next reversal and returns it. Returns nothing if the mass does
  /// not reverse up to the time t. Afterwards, at() must not be called for an earlier time than
  /// that of the reversal or, if there was none, than t. Local.
  std::optional<Reversal> next_reversal(double t);

  /// Returns ω η_mean plus the largest ω|x| + |y| so far at an end of a step, where η_mean is the
  /// mean of η weighted with k. Errors of velocities are judged relative to this number. Local.
  [[nodiscard]] double speed_scale() const { return speed_scale_ + largest_speed_; }
  /// Returns ω, where ω² = (k0 + ∫k)/m. Local.
  [[nodiscard]] double frequency() const { return frequency_; }

  /// Makes the solution also compute works(), which takes a third more time. Must be called before
  /// the first call of at() or next_reversal(). Local.
  void follow_works() { follows_works_ = true; }
  /// Returns the works from t = 0 to the time of the state that at() or next_reversal() returned
  /// last. Requires follow_works(). Local.
  [[nodiscard]] Works works() const {
    return planned_ && !planned_->at_rest ? works_ + planned_->step.works(shown_span_) : works_;
  }

  /// Returns the turning points at the time of the state that at() or next_reversal() returned
  /// last. The turning points determine u(t, s). Local.
  [[nodiscard]] TurningPoints turning_points() const;

 private:
  /// The next step, which has not been carried out. It starts from motion_ and turning_points_. Its
  /// error is within the tolerance, unless the step is as short as base::least_span().
  struct Planned {
    /// The equation of motion on the present piece of the leg.
    OscillatorStep step;
    /// The length of the step and the motion at its end.
    EventStep whole;
    /// Whether the mass remains at rest during the step.
    bool at_rest = false;
  };

  /// Plans the next step: chooses its direction and its length.
  void plan();

  /// Reverses the slab if its direction is not `direction`. Then, while x has already reached the
  /// next corner (a position where a loop closes), moves x and the slab on by one unit in the last
  /// place of x.
  void set_direction(int direction);

  /// Plans a step of length `span` during which the mass remains at rest.
  void plan_rest(double span);

  /// Plans a step in the present direction and returns true. If the mass is at rest and would start
  /// in the opposite direction, plans nothing and returns false.
  bool plan_motion();

  /// Halves `span` until F is resolved within the tolerance from the present time to `span` later,
  /// and returns the result. If F is not resolved even for a span of at most base::least_span(),
  /// returns this span. Throws UserError when that has happened more than a thousand times.
  double resolved(double span);

  /// Must be called once for every planned step. After every 2¹⁶ steps, throws UserError if they
  /// have advanced the time by less than 1e-6 of the final time, or if more than 10⁷ events up to
  /// the final time are expected.
  void require_progress();

  /// Returns the error of a step divided by the allowed error, which is
  ///     (ω η_mean + ω|x| + |y|) max(tolerance, ε ωt/64) + OscillatorStep::rounding_of_time().
  /// Here x, y and t are those at the end of the step, and ε is the machine precision.
  [[nodiscard]] double relative_error(const OscillatorStep& step, const EventStep& taken) const;

  /// Advances the motion and the slab to the end of the planned step.
  void carry_out();

  Oscillator oscillator_;
  SmoothPieces force_;
  StepMethod method_;
  double tolerance_;
  double frequency_;      // ω, the angular frequency of elastic oscillations
  double speed_scale_;    // ω times the mean of η, weighted with k
  double largest_speed_;  // the largest ω|x| + |y| so far
  double longest_step_;
  double fitting_step_;  // the longest step that recent errors allow
  int unresolved_steps_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t events_ = 0;    // reversals and ends of pieces of legs
  std::int64_t turns_ = 0;     // reversals
  double window_start_ = 0.0;  // the time at the previous test of require_progress()
  TurningPoints turning_points_;
  TimedMotion motion_;       // the motion at the end of the step carried out last
  double position_;          // the x that at() or next_reversal() returned last
  double shown_span_ = 0.0;  // the time that the mass takes from motion_ to position_
  bool follows_works_ = false;
  Works works_;  // the works up to motion_
  std::optional<Planned> planned_;
};

/// Returns the options for a second solution that checks a solution computed with `options`: the
/// method `gauss`, ten times the tolerance, and 0.7 times the longest step. Local.
inline StepControl checking(const StepControl& options) {
  return {.tolerance = 10 * options.tolerance,
          .longest_step = 0.7 * options.longest_step,
          .method = StepMethod::gauss};
}

}  // namespace masing::slab
