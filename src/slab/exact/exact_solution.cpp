#include "slab/exact/exact_solution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/limits.hpp"

namespace masing::slab {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A residual g(h) with its slope g'(h) and the point it was found at.
template <class Point>
struct Residual {
  Point point;
  double value;
  double slope;
  double noise;  ///< |g| up to which it is rounding
};

/// The zero of g between `low` (g < 0) and `high` (g > 0), to rounding: Newton's method,
/// and bisection where it would leave the bracket. `residual(h)` gives a Residual. Returns the
/// last one with its h.
template <class Evaluate>
auto find_crossing(const Evaluate& residual, double low, double high, double guess) {
  using Found = std::invoke_result_t<Evaluate, double>;
  struct Crossing {
    double h;
    Found at;
  };
  double h = guess > low && guess < high ? guess : 0.5 * (low + high);
  Found at = residual(h);
  // 60 bisections leave no more than rounding of any bracket.
  for (int i = 0; i < 120 && std::abs(at.value) > at.noise; ++i) {
    (at.value < 0.0 ? low : high) = h;
    const double newton = h - at.value / at.slope;
    // Where Newton is slow, every second step halves the bracket, so that it shrinks.
    const bool trusted = newton > low && newton < high && (i < 6 || i % 2 == 0);
    const double next = trusted ? newton : 0.5 * (low + high);
    if (std::abs(next - h) <= base::epsilon * h || high - low <= base::epsilon * high) {
      break;
    }
    h = next;
    at = residual(h);
  }
  return Crossing{h, at};
}

/// The cubic with given values and slopes at 0 and h (Hermite's).
struct Cubic {
  double value0;
  double slope0;
  double value1;
  double slope1;
  double h;

  [[nodiscard]] Residual<double> at(double t, double level, int sign) const {
    const double rise = (value1 - value0) / h;
    const double second = (3 * rise - 2 * slope0 - slope1) / h;
    const double third = (slope0 + slope1 - 2 * rise) / (h * h);
    return {t, sign * (value0 - level + t * (slope0 + t * (second + t * third))),
            sign * (slope0 + t * (2 * second + 3 * t * third)),
            base::epsilon * (std::abs(value0) + std::abs(value1))};
  }
  /// Where it crosses `level` between 0 and h, upwards (sign +1) or downwards (-1).
  [[nodiscard]] double crossing(double level, int sign) const {
    return find_crossing([&](double t) { return at(t, level, sign); }, 0.0, h,
                         h * (level - value0) / (value1 - value0))
        .h;
  }
};

/// Finds the first event of a motion in one direction on one law. Each trial is one step from the
/// same start, so that the motion at an event has full accuracy.
class EventSearch {
 public:
  EventSearch(const OscillatorStep& step, int direction)
      : step_(step),
        direction_(direction),
        start_acceleration_(step.acceleration(step.start())),
        noise_(4 * base::epsilon *
               std::max(std::abs(step.start().x),
                        std::isfinite(step.law().end()) ? std::abs(step.law().end()) : 0.0)) {}

  /// The span after which x would reach the end of the law under a constant acceleration; ∞ if it
  /// never would.
  [[nodiscard]] double expected_span() const {
    const double distance = direction_ * (step_.law().end() - step_.start().x);
    const double speed = direction_ * step_.start().y;
    const double square = speed * speed + 2.0 * direction_ * start_acceleration_ * distance;
    return square > 0.0 && std::isfinite(distance) ? 2.0 * distance / (speed + std::sqrt(square))
                                                   : infinity;
  }

  /// The step of length h, or the shorter one to the first event.
  [[nodiscard]] EventStep first_event(double h) const {
    EventStep found{h, step_.after(h), StepEnd::nothing};
    if (has_interior_minimum(found.end)) {
      const EventStep slowest = slowest_within(found);
      if (direction_ * slowest.end.y < 0.0) {
        found = slowest;
      }
    }
    if (direction_ * found.end.y < 0.0) {
      found = reversal_within(found);
    }
    return found.kind == StepEnd::wrong_direction ? found : law_end_within(found);
  }

 private:
  /// Whether y has a least value (in the direction of motion) inside the step.
  [[nodiscard]] bool has_interior_minimum(const Motion& end) const {
    return direction_ * start_acceleration_ < 0.0 && direction_ * end.y >= 0.0 &&
           direction_ * step_.acceleration(end) > 0.0;
  }

  [[nodiscard]] EventStep slowest_within(const EventStep& step) const {
    const auto residual = [&](double h) {
      const Motion motion = step_.after(h);
      return Residual<Motion>{motion, direction_ * step_.acceleration(motion), 0.0, 0.0};
    };
    const auto [h, at] = find_crossing(residual, 0.0, step.h, 0.5 * step.h);
    return {h, at.point, StepEnd::nothing};
  }

  [[nodiscard]] EventStep reversal_within(const EventStep& step) const {
    const double low = step_.start().y == 0.0 ? under_way(step.h) : 0.0;
    if (low < 0.0) {
      return {0.0, step_.start(), StepEnd::wrong_direction};
    }
    const double speed = std::abs(step_.start().y) + std::abs(start_acceleration_) * step.h;
    const auto residual = [&](double h) {
      const Motion motion = step_.after(h);
      return Residual<Motion>{motion, -direction_ * motion.y,
                              -direction_ * step_.acceleration(motion), base::epsilon * speed};
    };
    const Cubic y{step_.start().y, start_acceleration_, step.end.y, step_.acceleration(step.end),
                  step.h};
    const auto [h, at] = find_crossing(residual, low, step.h, y.crossing(0.0, -direction_));
    EventStep found{h, at.point, StepEnd::reversal};
    found.end.y = 0.0;
    return found;
  }

  /// A span within h after which a mass that starts at rest goes in the direction; -1 if none.
  [[nodiscard]] double under_way(double h) const {
    const double least = base::epsilon * std::max(h, std::abs(step_.start().clock.time));
    while ((h *= 0.25) > least) {
      if (direction_ * step_.after(h).y > 0.0) {
        return h;
      }
    }
    return -1.0;
  }

  [[nodiscard]] EventStep law_end_within(EventStep step) const {
    const double end = step_.law().end();
    const double beyond = direction_ * (step.end.x - end);
    if (beyond < -noise_) {
      return step;
    }
    if (beyond > noise_) {
      const auto residual = [&](double h) {
        const Motion motion = step_.after(h);
        return Residual<Motion>{motion, direction_ * (motion.x - end), direction_ * motion.y,
                                noise_};
      };
      const Cubic x{step_.start().x, step_.start().y, step.end.x, step.end.y, step.h};
      const auto [h, at] = find_crossing(residual, 0.0, step.h, x.crossing(end, direction_));
      step = {h, at.point, StepEnd::law_end};
    }
    // A reversal at the end of the law is both: one event.
    step.kind = step.kind == StepEnd::reversal ? StepEnd::reversal : StepEnd::law_end;
    step.end.x = end;
    return step;
  }

  const OscillatorStep& step_;
  int direction_;
  double start_acceleration_;
  double noise_;  // of x
};

}  // namespace

ExactSolution::ExactSolution(const Measure& measure, const Oscillator& oscillator,
                             SmoothPieces force, const ExactOptions& options,
                             const std::optional<TurningPointState>& past)
    : oscillator_(oscillator),
      force_(std::move(force)),
      method_(options.method),
      tolerance_(options.tolerance),
      frequency_(std::sqrt((oscillator.k0 + measure.total().stiffness) / oscillator.mass)),
      speed_scale_(frequency_ * measure.total().force / measure.total().stiffness),
      longest_step_(std::min(
          options.longest_step / std::max(frequency_, oscillator.damping / oscillator.mass),
          force_.final_time() / 64)),
      fitting_step_(longest_step_),
      turning_points_(measure, past.value_or(TurningPointState{
                                   oscillator.x0, oscillator.x0, 1, oscillator.x0, {}})),
      motion_{{}, oscillator.x0, oscillator.y0},
      position_(oscillator.x0) {}

MassState ExactSolution::at(double t) {
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

std::optional<ExactSolution::Reversal> ExactSolution::next_reversal(double t) {
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

TurningPoints ExactSolution::turning_points() const {
  TurningPoints result = turning_points_;
  // Rounding must not look like a reversal.
  if (result.direction() * (position_ - result.x()) > 0.0) {
    result.move_to(position_);
  }
  return result;
}

void ExactSolution::plan() {
  require_progress();
  if (motion_.y != 0.0) {
    face(motion_.y > 0.0 ? 1 : -1);
  } else {
    const double span = resolved(std::min(fitting_step_, motion_.clock.until(force_.piece_end())));
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
      plan_rest(resolved(std::min(fitting_step_ / 1024, motion_.clock.until(force_.piece_end()))));
    }
  }
}

void ExactSolution::face(int direction) {
  if (turning_points_.direction() != direction) {
    turning_points_.reverse();
  }
  while (direction * (turning_points_.corner(direction) - motion_.x) <= 0.0) {
    motion_.x = std::nextafter(motion_.x, direction * infinity);
    turning_points_.move_to(motion_.x);
  }
}

void ExactSolution::plan_rest(double span) {
  planned_.emplace(
      Planned{OscillatorStep(oscillator_, force_, LegLaw(turning_points_), motion_, method_),
              {span, motion_, StepEnd::nothing},
              true});
  planned_->whole.end.clock = motion_.clock.after(span);
}

bool ExactSolution::plan_motion() {
  const OscillatorStep step(oscillator_, force_, LegLaw(turning_points_), motion_, method_);
  const EventSearch search(step, turning_points_.direction());
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

double ExactSolution::resolved(double span) {
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

void ExactSolution::require_progress() {
  constexpr std::int64_t window = 1 << 16;
  if (++steps_ % window == 0) {
    if (motion_.clock.time - window_start_ < 1e-6 * force_.final_time()) {
      force_.throw_unresolved(motion_.clock.time);
    }
    window_start_ = motion_.clock.time;
  }
}

double ExactSolution::relative_error(const OscillatorStep& step, const EventStep& taken) const {
  constexpr double rounding = base::epsilon / 64;
  const double size = speed_scale_ + std::abs(taken.end.x) * frequency_ + std::abs(taken.end.y);
  const double allowed = std::max(tolerance_, rounding * frequency_ * taken.end.clock.time);
  return step.error(taken.h, taken.end, frequency_) /
         (size * allowed + step.rounding_of_time(taken.h));
}

void ExactSolution::carry_out() {
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

}  // namespace masing::slab
