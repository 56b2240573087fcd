#include "slab/exact/oscillator_solution.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "slab/exact/event_search.hpp"

namespace masing::slab {

OscillatorSolution::OscillatorSolution(const Measure& measure, const Oscillator& oscillator,
                                       SmoothPieces force, const StepControl& options,
                                       const std::optional<TurningPointState>& past)
    : oscillator_(oscillator),
      force_(std::move(force)),
      method_(options.method),
      tolerance_(options.tolerance),
      frequency_(std::sqrt((oscillator.k0 + measure.total().stiffness) / oscillator.mass)),
      speed_scale_(frequency_ * measure.total().force / measure.total().stiffness),
      largest_speed_(std::abs(oscillator.x0) * frequency_ + std::abs(oscillator.y0)),
      longest_step_(std::min(
          options.longest_step / std::max(frequency_, oscillator.damping / oscillator.mass),
          force_.final_time() / 64)),
      fitting_step_(longest_step_),
      turning_points_(measure, past.value_or(TurningPointState{
                                   oscillator.x0, oscillator.x0, 1, oscillator.x0, {}})),
      motion_{{}, oscillator.x0, oscillator.y0},
      position_(oscillator.x0) {}

MassState OscillatorSolution::at(double t) {
  if (!planned_) {
    plan();
  }
  while (planned_->whole.end.clock.until(t) > 0.0) {
    carry_out();
    plan();
  }
  // The motion at t is computed by a single step from motion_, so it has the full accuracy of a
  // step.
  const double span = std::max(0.0, motion_.clock.until(t));
  const TimedMotion motion = planned_->at_rest ? motion_ : planned_->step.after(span);
  position_ = motion.x;
  shown_span_ = span;
  return {motion.x, motion.y, planned_->step.leg_piece()(motion.x)};
}

std::optional<OscillatorSolution::Reversal> OscillatorSolution::next_reversal(double t) {
  for (;;) {
    if (!planned_) {
      plan();
    }
    if (planned_->whole.end.clock.until(t) < 0.0) {
      return std::nullopt;
    }
    carry_out();
    if (motion_.y == 0.0) {
      Reversal reversal{motion_.clock.time, motion_.x, turning_points_.direction(),
                        turning_points_.state()};
      shown_span_ = 0.0;
      position_ = motion_.x;
      plan();
      if (turning_points_.direction() != reversal.direction) {
        return reversal;
      }
    }
  }
}

TurningPoints OscillatorSolution::turning_points() const {
  TurningPoints result = turning_points_;
  // If position_ lies slightly behind result.x() because of rounding errors, the slab is not moved,
  // because a move back would add a turning point.
  if (result.direction() * (position_ - result.x()) > 0.0) {
    result.move_to(position_);
  }
  return result;
}

void OscillatorSolution::plan() {
  require_progress();
  const auto resistance = [this] {
    return restoring_force(oscillator_, {motion_.x, 0.0, turning_points_.internal_force()});
  };
  if (motion_.y != 0.0) {
    set_direction(motion_.y > 0.0 ? 1 : -1);
  } else {
    const double span = resolved(std::min(fitting_step_, motion_.clock.until(force_.piece_end())));
    const int direction = starting_direction(force_, motion_.clock, resistance(), span);
    if (direction == 0) {
      plan_rest(span);
      return;
    }
    set_direction(direction);
  }
  // If a mass at rest would start against the direction that was set, the sign of F - R was wrong,
  // because |F - R| is hardly larger than its rounding error; R is the restoring force. Then the
  // other direction is tried. If the mass does not move in that direction either, it rests for a
  // short time, in which |F - R| can grow.
  if (!plan_motion()) {
    set_direction(-turning_points_.direction());
    if (!plan_motion()) {
      double span =
          resolved(std::min(fitting_step_ / 1024, motion_.clock.until(force_.piece_end())));
      const double rest = resistance();
      const double least = least_span(motion_.clock, fitting_step_);
      const double impulse = oscillator_.mass * tolerance_ * speed_scale();
      while (span > least && span * std::abs(force_(motion_.clock.time + span) - rest) > impulse) {
        span *= 0.5;
      }
      plan_rest(span);
    }
  }
}

void OscillatorSolution::set_direction(int direction) {
  if (turning_points_.direction() != direction) {
    turning_points_.reverse();
  }
  while (direction * (turning_points_.corner(direction) - motion_.x) <= 0.0) {
    motion_.x = std::nextafter(motion_.x, direction * base::infinity);
    turning_points_.move_to(motion_.x);
  }
}

void OscillatorSolution::plan_rest(double span) {
  planned_.emplace(
      Planned{OscillatorStep(oscillator_, force_, LegPiece(turning_points_), motion_, method_),
              {span, motion_},
              true});
  planned_->whole.end.clock = motion_.clock.after(span);
}

bool OscillatorSolution::plan_motion() {
  const OscillatorStep step(oscillator_, force_, LegPiece(turning_points_), motion_, method_);
  const EventSearch search(step, turning_points_.direction());
  // Go a little beyond the expected event, so that the step contains it.
  double h = std::min(
      {fitting_step_, 1.02 * search.expected_span(), motion_.clock.until(force_.piece_end())});
  for (;;) {
    const EventStep to_event = search.first_event(h);
    if (to_event.turns_back) {
      return false;
    }
    const double error = relative_error(step, to_event);
    const double factor = std::clamp(0.9 * std::pow(error, -1.0 / 9.0), 0.2, 4.0);
    // The step evaluates F at a few times only. It is shortened if F is not resolved between them.
    if (const double span = resolved(to_event.h); error <= 1.0 && span < to_event.h) {
      fitting_step_ = h = span;
      continue;
    }
    if (error <= 1.0 || to_event.h <= least_span(motion_.clock, fitting_step_)) {
      if (to_event.h >= 0.9 * fitting_step_) {
        fitting_step_ = std::min(longest_step_, factor * to_event.h);
      }
      planned_.emplace(Planned{step, to_event});
      return true;
    }
    fitting_step_ = h = std::min(factor, 0.9) * to_event.h;
  }
}

double OscillatorSolution::resolved(double span) {
  const double impulse = oscillator_.mass * tolerance_ * speed_scale_;
  const double least = least_span(motion_.clock, span);
  const double now = motion_.clock.time;
  while (!force_.try_to_resolve(now, now + span, impulse)) {
    if (span <= least) {
      // Such a short step is taken even if F has a jump, a corner or a vertical tangent in it.
      if (++unresolved_steps_ > 1000) {
        force_.throw_unresolved(now);
      }
      return span;
    }
    span *= 0.5;
  }
  return span;
}

void OscillatorSolution::require_progress() {
  constexpr std::int64_t window = 1 << 16;
  if (++steps_ % window == 0) {
    const double now = motion_.clock.time;
    const bool is_slow = now - window_start_ < 1e-6 * force_.final_time();
    // The first turn shows that the events are not those of the first loading alone.
    constexpr double most_events = 1e7;
    const double expected = static_cast<double>(events_) * (force_.final_time() / now);
    if ((is_slow ? 2 * events_ > steps_ : turns_ > 0) && expected > most_events) {
      throw base::UserError(
          fmt::format("the exact solution would pass some {:.0e} events up to T = {}, where {:.0e} "
                      "take minutes; give an earlier final-time, fewer cells or cells = inf, or "
                      "another engine",
                      expected, base::to_text(force_.final_time()), most_events));
    }
    if (is_slow) {
      force_.throw_unresolved(now);
    }
    window_start_ = now;
  }
}

double OscillatorSolution::relative_error(const OscillatorStep& step,
                                          const EventStep& taken) const {
  constexpr double rounding = base::epsilon / 64;
  const double size = speed_scale_ + std::abs(taken.end.x) * frequency_ + std::abs(taken.end.y);
  const double allowed = std::max(tolerance_, rounding * frequency_ * taken.end.clock.time);
  return step.error(taken.h, taken.end, frequency_) /
         (size * allowed + step.rounding_of_time(taken.h));
}

void OscillatorSolution::carry_out() {
  if (follows_works_ && !planned_->at_rest) {
    works_ = works_ + planned_->step.works(planned_->whole.h);
  }
  motion_ = planned_->whole.end;
  const bool turns = motion_.y == 0.0 && !planned_->at_rest;
  turns_ += turns ? 1 : 0;
  events_ += turns || motion_.x == planned_->step.leg_piece().end() ? 1 : 0;
  largest_speed_ = std::max(largest_speed_, std::abs(motion_.x) * frequency_ + std::abs(motion_.y));
  planned_.reset();
  turning_points_.move_to(motion_.x);
  // If y has changed its sign at the event, the event and the reversal coincide within rounding
  // errors, and y is set to 0.
  if (turning_points_.direction() * motion_.y < 0.0) {
    motion_.y = 0.0;
  }
  if (motion_.clock.until(force_.piece_end()) <= 0.0) {
    motion_.clock = {force_.piece_end(), 0.0};
    force_.pass_break();
  }
}

}  // namespace masing::slab
