#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/limits.hpp"
#include "slab/exact/event_step.hpp"
#include "slab/exact/oscillator_step.hpp"
#include "slab/problem.hpp"

namespace masing::slab {

/// Step control of the exact solution.
struct ExactOptions {
  double tolerance = 1e-15;  ///< error of one step in x·ω and y, relative to 1 + |x|ω + |y|
  /// In units of 1/ω, ω² = (k0 + ∫k)/m, or of m/c where that is shorter.
  double longest_step = 0.25;
};

/// The solution of the inclusion, exact in time: between events m x'' = F - k0 x - c x' - S(x) with
/// a smooth S, solved to rounding by an eighth-order method; each event (a reversal, a closed loop,
/// the front reaching a break of the measure, a break of F) is found to rounding. Exact in s, too,
/// for a measure with P = ∞. A step is taken only where F is resolved within it
/// (SmoothPieces::is_resolved), however narrow what F does. Source: (7), continuous-masing-2001.
template <StiffnessMeasure Measure, class Method = Fehlberg>
class ExactSolution {
 public:
  /// The solution from t = 0, u = u0, or with the slab as a past leaves it at x0. `measure` must
  /// outlive the object.
  ExactSolution(const Measure& measure, const Oscillator& oscillator, SmoothPieces force,
                const ExactOptions& options = {}, const std::optional<TurningPointState>& past = {})
      : oscillator_(oscillator),
        force_(std::move(force)),
        tolerance_(options.tolerance),
        frequency_(std::sqrt((oscillator.k0 + measure.total_stiffness()) / oscillator.mass)),
        speed_scale_(frequency_ * measure.below(infinity).force / measure.total_stiffness()),
        longest_step_(std::min(
            options.longest_step / std::max(frequency_, oscillator.damping / oscillator.mass),
            force_.final_time() / 64)),
        fitting_step_(longest_step_),
        turning_points_(measure, past.value_or(TurningPointState{
                                     oscillator.x0, oscillator.x0, 1, oscillator.x0, {}})),
        motion_{{}, oscillator.x0, oscillator.y0},
        position_(oscillator.x0) {}
  ~ExactSolution() = default;
  // The planned step refers to turning_points_.
  ExactSolution(const ExactSolution&) = delete;
  ExactSolution& operator=(const ExactSolution&) = delete;
  ExactSolution(ExactSolution&&) = delete;
  ExactSolution& operator=(ExactSolution&&) = delete;

  /// x, y, S at time t ≥ 0. Times must not decrease. Throws UserError where F is not finite.
  MassState at(double t) {
    if (!planned_) {
      plan();
    }
    while (planned_->whole.end.clock.until(t) > 0.0) {
      carry_out();
      plan();
    }
    // One step from the last event gives any time before the next: dense output at full accuracy.
    const double span = std::max(0.0, motion_.clock.until(t));
    const Motion motion = planned_->at_rest ? motion_ : planned_->step.after(span);
    position_ = motion.x;
    shown_span_ = span;
    return {motion.x, motion.y, planned_->step.law()(motion.x)};
  }

  /// A reversal of the mass.
  struct Reversal {
    double time = 0.0;
    double x = 0.0;
    int direction = 1;       ///< before it: +1 at a maximum of x, -1 at a minimum
    TurningPointState past;  ///< of the slab, before it
  };

  /// Goes on to the next reversal up to the time t; nothing where there is none. at() may be called
  /// only for later times then.
  std::optional<Reversal> next_reversal(double t) {
    for (;;) {
      if (!planned_) {
        plan();
      }
      if (planned_->whole.end.clock.until(t) < 0.0) {
        return std::nullopt;
      }
      carry_out();
      if (motion_.y == 0.0) {
        Reversal found{motion_.clock.time, motion_.x, turning_points_.direction(),
                       turning_points_.state()};
        shown_span_ = 0.0;
        position_ = motion_.x;
        plan();
        if (turning_points_.direction() != found.direction) {
          return found;
        }
      }
    }
  }

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
  [[nodiscard]] TurningPoints<Measure> turning_points() const {
    TurningPoints<Measure> result = turning_points_;
    // Rounding must not look like a reversal.
    if (result.direction() * (position_ - result.x()) > 0.0) {
      result.move_to(position_);
    }
    return result;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  using Law = LegLaw<Measure>;
  using Step = OscillatorStep<Law, Method>;

  /// The next step, accepted: from motion_ and turning_points_.
  struct Planned {
    Step step;
    EventStep whole;
    bool at_rest = false;
  };

  void plan() {
    require_progress();
    if (motion_.y != 0.0) {
      face(motion_.y > 0.0 ? 1 : -1);
    } else {
      const double span =
          resolved(std::min(fitting_step_, motion_.clock.until(force_.piece_end())));
      const double resistance =
          restoring_force(oscillator_, {motion_.x, 0.0, turning_points_.internal_force()});
      const int direction = departure(force_, motion_.clock, resistance, span);
      if (direction == 0) {
        plan_rest(span);
        return;
      }
      face(direction);
    }
    // Where F - R is little more than rounding, its sign may be wrong: then try the other
    // direction, and if that fails, too, rest for a short span until F - R has grown.
    if (!plan_motion()) {
      face(-turning_points_.direction());
      if (!plan_motion()) {
        plan_rest(
            resolved(std::min(fitting_step_ / 1024, motion_.clock.until(force_.piece_end()))));
      }
    }
  }

  /// Turn to `direction` if necessary, and pass corners that x has reached.
  void face(int direction) {
    if (turning_points_.direction() != direction) {
      turning_points_.reverse();
    }
    while (direction * (turning_points_.corner(direction) - motion_.x) <= 0.0) {
      motion_.x = std::nextafter(motion_.x, direction * infinity);
      turning_points_.move_to(motion_.x);
    }
  }

  void plan_rest(double span) {
    planned_.emplace(Planned{Step(oscillator_, force_, Law(turning_points_), motion_),
                             {span, motion_, StepEnd::nothing},
                             true});
    planned_->whole.end.clock = motion_.clock.after(span);
  }

  /// Plan a step in the present direction; false if the mass, from rest, goes the other way.
  bool plan_motion() {
    const Step step(oscillator_, force_, Law(turning_points_), motion_);
    const EventSearch<Step> search(step, turning_points_.direction());
    // A little beyond the expected event, so that it is found and not just missed.
    double h = std::min(
        {fitting_step_, 1.02 * search.expected_span(), motion_.clock.until(force_.piece_end())});
    for (;;) {
      const EventStep found = search.first_event(h);
      if (found.kind == StepEnd::wrong_direction) {
        return false;
      }
      const double error = relative_error(step, found);
      const double factor = std::clamp(0.9 * std::pow(error, -1.0 / 9.0), 0.2, 4.0);
      // What the step sees of F may be little of what F does.
      if (const double span = resolved(found.h); error <= 1.0 && span < found.h) {
        fitting_step_ = h = span;
        continue;
      }
      if (error <= 1.0 || found.h <= least_span(motion_.clock, fitting_step_)) {
        if (found.h >= 0.9 * fitting_step_) {
          fitting_step_ = std::min(longest_step_, factor * found.h);
        }
        planned_.emplace(Planned{step, found});
        return true;
      }
      fitting_step_ = h = std::min(factor, 0.9) * found.h;
    }
  }

  /// The part of a span from here in which F is resolved to the tolerance, half of it again and
  /// again. Throws UserError where F is resolved at no span for a thousand steps.
  double resolved(double span) {
    const double impulse = oscillator_.mass * tolerance_ * speed_scale_;
    const double least = least_span(motion_.clock, span);
    const double now = motion_.clock.time;
    while (!force_.is_resolved(now, now + span, impulse)) {
      if (span <= least) {
        // A jump or a corner is passed like this.
        if (++unresolved_steps_ > 1000) {
          force_.throw_unresolved(now);
        }
        return span;
      }
      span *= 0.5;
    }
    return span;
  }

  /// Throws UserError where 2¹⁶ steps have not brought the time on by a part of 1e-6.
  void require_progress() {
    constexpr std::int64_t window = 1 << 16;
    if (++steps_ % window == 0) {
      if (motion_.clock.time - window_start_ < 1e-6 * force_.final_time()) {
        force_.throw_unresolved(motion_.clock.time);
      }
      window_start_ = motion_.clock.time;
    }
  }

  /// The error of a step, over the tolerance or what the rounding of t makes of F, if that is more.
  [[nodiscard]] double relative_error(const Step& step, const EventStep& taken) const {
    constexpr double rounding = base::epsilon / 64;
    const double size = speed_scale_ + std::abs(taken.end.x) * frequency_ + std::abs(taken.end.y);
    const double allowed = std::max(tolerance_, rounding * frequency_ * taken.end.clock.time);
    return step.error(taken.h, taken.end, frequency_) /
           (size * allowed + step.rounding_of_time(taken.h));
  }

  /// Go to the end of the planned step.
  void carry_out() {
    if (follows_works_ && !planned_->at_rest) {
      works_ = works_ + planned_->step.works(planned_->whole.h);
    }
    motion_ = planned_->whole.end;
    planned_.reset();
    turning_points_.move_to(motion_.x);
    // An event a rounding before a reversal is that reversal.
    if (turning_points_.direction() * motion_.y < 0.0) {
      motion_.y = 0.0;
    }
    if (motion_.clock.until(force_.piece_end()) <= 0.0) {
      motion_.clock = {force_.piece_end(), 0.0};
      force_.pass_break();
    }
  }

  Oscillator oscillator_;
  SmoothPieces force_;
  double tolerance_;
  double frequency_;    // ω
  double speed_scale_;  // mean η·ω
  double longest_step_;
  double fitting_step_;  // allowed by the errors of the last steps
  int unresolved_steps_ = 0;
  std::int64_t steps_ = 0;
  double window_start_ = 0.0;
  TurningPoints<Measure> turning_points_;
  Motion motion_;
  double position_;
  double shown_span_ = 0.0;  // from motion_ to the time of the last call of at()
  bool follows_works_ = false;
  Works works_;  // up to motion_
  std::optional<Planned> planned_;
};

/// Checks a solution: by another method, with the step control of checking().
template <StiffnessMeasure Measure>
using CheckSolution = ExactSolution<Measure, GaussCollocation>;

/// Another step control, to check a solution with: ten times the tolerance, 0.7 times the longest
/// step.
inline ExactOptions checking(const ExactOptions& options) {
  return {.tolerance = 10 * options.tolerance, .longest_step = 0.7 * options.longest_step};
}

}  // namespace masing::slab
