#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "slab/exact/event_step.hpp"
#include "slab/exact/oscillator_step.hpp"
#include "slab/exact/smooth_pieces.hpp"
#include "slab/problem.hpp"

namespace masing::slab {

/// How exact the exact solution is.
struct ExactOptions {
  double tolerance = 1e-15;  ///< error of one step in x·ω and y, relative to 1 + |x|ω + |y|
  /// In units of 1/ω, ω² = (k0 + ∫k)/m.
  double longest_step = 0.25;
};

/// The solution of the inclusion, exact in time: between events m x'' = F - k0 x - S(x) with a
/// smooth S, solved to rounding by an eighth-order method; each event (a reversal, a corner of the
/// hysteresis memory, the front reaching a break of the measure, a break of F) is found to
/// rounding. Exact in s, too, for a measure with P = ∞. Source: (7), continuous-masing-2001.
template <StiffnessMeasure Measure>
class ExactSolution {
 public:
  /// The solution from t = 0, u = u0. `measure` must outlive the object.
  ExactSolution(const Measure& measure, const Oscillator& oscillator, SmoothPieces force,
                const ExactOptions& options = {})
      : oscillator_(oscillator),
        force_(std::move(force)),
        tolerance_(options.tolerance),
        frequency_(std::sqrt((oscillator.k0 + measure.total_stiffness()) / oscillator.mass)),
        speed_scale_(frequency_ * measure.below(infinity).force / measure.total_stiffness()),
        longest_step_(std::min(options.longest_step / frequency_, force_.final_time() / 64)),
        fitting_step_(longest_step_),
        memory_(measure, oscillator.x0),
        motion_{{}, oscillator.x0, oscillator.y0},
        position_(oscillator.x0) {}
  ~ExactSolution() = default;
  // The planned step refers to the memory beside it.
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
    // Between events one step from the last one leads to any time: dense and as exact as the rest.
    const double span = std::max(0.0, motion_.clock.until(t));
    const Motion motion = planned_->at_rest ? motion_ : planned_->step.after(span);
    position_ = motion.x;
    return {motion.x, motion.y, planned_->step.law()(motion.x)};
  }

  /// The hysteresis memory at the time last asked for, to find u(t, s).
  [[nodiscard]] TurningPoints<Measure> memory() const {
    TurningPoints<Measure> memory = memory_;
    // Rounding must not look like a reversal.
    if (memory.direction() * (position_ - memory.x()) > 0.0) {
      memory.move_to(position_);
    }
    return memory;
  }

  /// Steps between events and breaks taken so far.
  [[nodiscard]] std::int64_t steps() const { return steps_; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  using Law = LegLaw<Measure>;
  using Step = OscillatorStep<Law>;

  /// The next step, found to hold: from motion_, on the memory as it is.
  struct Planned {
    Step step;
    EventStep whole;
    bool at_rest = false;
  };

  void plan() {
    if (motion_.y != 0.0) {
      face(motion_.y > 0.0 ? 1 : -1);
    } else {
      const double span = std::min(fitting_step_, motion_.clock.until(force_.piece_end()));
      const double resistance = oscillator_.k0 * motion_.x + memory_.internal_force();
      const int direction = departure(force_, motion_.clock, resistance, span);
      if (direction == 0) {
        plan_rest(span);
        return;
      }
      face(direction);
    }
    // Where F - R is little more than rounding, its sign may deceive: then turn, and if that is
    // wrong, too, wait a little, for it to become more.
    if (!plan_motion()) {
      face(-memory_.direction());
      if (!plan_motion()) {
        plan_rest(std::min(fitting_step_ / 1024, motion_.clock.until(force_.piece_end())));
      }
    }
  }

  /// Make the present leg one in `direction`, with its next corner still ahead.
  void face(int direction) {
    if (memory_.direction() != direction) {
      memory_.reverse();
    }
    while (direction * (memory_.corner(direction) - motion_.x) <= 0.0) {
      motion_.x = std::nextafter(motion_.x, direction * infinity);
      memory_.move_to(motion_.x);
    }
  }

  void plan_rest(double span) {
    planned_.emplace(Planned{
        Step(oscillator_, force_, Law(memory_), motion_), {span, motion_, StepEnd::nothing}, true});
    planned_->whole.end.clock = motion_.clock.after(span);
  }

  /// Plan a step in the memory's direction; false if the mass, from rest, goes the other way.
  bool plan_motion() {
    const Step step(oscillator_, force_, Law(memory_), motion_);
    const EventSearch<Law> search(step, memory_.direction());
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

  /// The error of a step, over the tolerance or what the rounding of t makes of F, if that is more.
  [[nodiscard]] double relative_error(const Step& step, const EventStep& taken) const {
    constexpr double rounding = std::numeric_limits<double>::epsilon() / 64;
    const double size = speed_scale_ + std::abs(taken.end.x) * frequency_ + std::abs(taken.end.y);
    const double allowed = std::max(tolerance_, rounding * frequency_ * taken.end.clock.time);
    return step.error(taken.h, taken.end, frequency_) / (size * allowed);
  }

  /// Go to the end of the planned step.
  void carry_out() {
    ++steps_;
    motion_ = planned_->whole.end;
    planned_.reset();
    memory_.move_to(motion_.x);
    // An event a rounding before a reversal is that reversal.
    if (memory_.direction() * motion_.y < 0.0) {
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
  double fitting_step_;  // what the errors of the last steps allow
  TurningPoints<Measure> memory_;
  Motion motion_;
  double position_;
  std::optional<Planned> planned_;
  std::int64_t steps_ = 0;
};

/// The other step control a solution is checked with: ten times the tolerance, 0.7 times the
/// longest step.
inline ExactOptions checking(const ExactOptions& options) {
  return {.tolerance = 10 * options.tolerance, .longest_step = 0.7 * options.longest_step};
}

/// Greatest differences of two solutions over the samples compared.
struct ExactDifference {
  double x = 0.0;
  double y = 0.0;
};

/// How far the exact solution can be trusted: the same once more with another step control (ten
/// times the tolerance, 0.7 times the longest step), and the greatest differences in x and y at
/// the times pT/n, p = 1..n. Costs two solutions. Throws UserError where F is not finite.
template <StiffnessMeasure Measure>
ExactDifference exact_self_check(const Measure& measure, const Oscillator& oscillator,
                                 const SmoothPieces& force, double final_time, std::int64_t samples,
                                 const ExactOptions& options = {}) {
  ExactSolution<Measure> solution(measure, oscillator, force, options);
  ExactSolution<Measure> check(measure, oscillator, force, checking(options));
  const TimeGrid time{.final_time = final_time, .steps = samples};
  ExactDifference difference;
  for (std::int64_t p = 1; p <= samples; ++p) {
    const MassState a = solution.at(time.time(p));
    const MassState b = check.at(time.time(p));
    difference.x = std::max(difference.x, std::abs(a.x - b.x));
    difference.y = std::max(difference.y, std::abs(a.y - b.y));
  }
  return difference;
}

}  // namespace masing::slab
