#pragma once

#include <algorithm>
#include <cmath>

#include "base/limits.hpp"
#include "slab/exact/oscillator_step.hpp"

/// Finds the first event within a time step: a reversal of the mass, or the end of a smooth piece
/// of the leg. The search computes the motion by trial steps of different lengths from the start of
/// the time step.
namespace masing::slab {

/// A trial step of length h, with the value and the slope at h of a function g whose root is
/// sought.
struct Trial {
  /// The length of the step.
  double h;
  /// g(h).
  double value;
  /// g'(h), or 0 if it is unknown; then the root is found by bisection
  double slope;
  double noise;             ///< the rounding error of g: g counts as 0 if |g| ≤ noise
  TimedMotion motion = {};  ///< the motion at the end of the trial step, if g depends on the motion
};

/// Returns the trial at the root of g between `low`, where g < 0, and `high`, where g > 0; the
/// error of the root is of the order of rounding. The method is Newton's. Where a Newton step would
/// leave the bracket, and in every second iteration after the seventh, the bracket is bisected
/// instead. The first h is `guess` if this lies in the bracket, and otherwise the middle.
/// `residual(h)` must return the trial of length h.
template <class Residual>
Trial find_crossing(const Residual& residual, double low, double high, double guess) {
  double h = guess > low && guess < high ? guess : 0.5 * (low + high);
  Trial at = residual(h);
  // 120 iterations contain at least 57 bisections, which shrink the bracket by the factor 2⁵⁷.
  for (int i = 0; i < 120 && std::abs(at.value) > at.noise; ++i) {
    (at.value < 0.0 ? low : high) = h;
    const double newton = h - at.value / at.slope;
    // After the seventh iteration every second one bisects, so that the bracket shrinks even where
    // Newton's method is slow.
    const bool trusted = newton > low && newton < high && (i < 6 || i % 2 == 0);
    const double next = trusted ? newton : 0.5 * (low + high);
    if (std::abs(next - h) <= base::epsilon * h || high - low <= base::epsilon * high) {
      break;
    }
    h = next;
    at = residual(h);
  }
  return at;
}

/// The cubic polynomial with given values and slopes at 0 and h (Hermite interpolation).
struct Cubic {
  double value0;
  double slope0;
  double value1;
  double slope1;
  double h;

  /// Returns g(t) and g'(t) for g = sign·(cubic - level) as a trial.
  [[nodiscard]] Trial at(double t, double level, int sign) const {
    const double rise = (value1 - value0) / h;
    const double second = (3 * rise - 2 * slope0 - slope1) / h;
    const double third = (slope0 + slope1 - 2 * rise) / (h * h);
    return {t, sign * (value0 - level + t * (slope0 + t * (second + t * third))),
            sign * (slope0 + t * (2 * second + 3 * t * third)),
            base::epsilon * (std::abs(value0) + std::abs(value1))};
  }
  /// Returns the place between 0 and h where the cubic crosses `level`, upwards (sign +1) or
  /// downwards (-1).
  [[nodiscard]] double crossing(double level, int sign) const {
    return find_crossing([&](double t) { return at(t, level, sign); }, 0.0, h,
                         h * (level - value0) / (value1 - value0))
        .h;
  }
};

/// Finds the first event of a motion in one direction along one smooth piece of a leg: a reversal,
/// or the end of the piece. Each trial is a single step from the same start, so that the motion at
/// an event has the full accuracy of a step. The start and the piece of the leg are those of
/// `step`, which must outlive the object.
class EventSearch {
 public:
  EventSearch(const OscillatorStep& step, int direction)
      : step_(step),
        direction_(direction),
        start_acceleration_(step.acceleration(step.start())),
        noise_(4 * base::epsilon *
               std::max(std::abs(step.start().x), std::isfinite(step.leg_piece().end())
                                                      ? std::abs(step.leg_piece().end())
                                                      : 0.0)) {}

  /// Returns the time after which x would reach the end of the piece if the acceleration remained
  /// as it is at the start, or ∞ if x would never reach it. Local.
  [[nodiscard]] double expected_span() const {
    double distance = direction_ * (step_.leg_piece().end() - step_.start().x);
    double speed = direction_ * step_.start().y;
    // Scaling by a power of two prevents overflow of the squares and changes no bit.
    const double unit = std::ldexp(1.0, std::ilogb(std::max(std::abs(distance), std::abs(speed))));
    distance /= unit;
    speed /= unit;
    const double square =
        speed * speed + 2.0 * direction_ * (start_acceleration_ / unit) * distance;
    return square > 0.0 && std::isfinite(distance) ? 2.0 * distance / (speed + std::sqrt(square))
                                                   : base::infinity;
  }

  /// Returns the step of length h or, if an event occurs within this step, the shorter step that
  /// ends at the first event. If the mass is at rest at the start and moves back from there, the
  /// result has the length 0 and `turns_back` set. Local.
  [[nodiscard]] EventStep first_event(double h) const {
    EventStep to_event{h, step_.after(h)};
    if (has_interior_minimum(to_event.end)) {
      const EventStep slowest = slowest_within(to_event);
      if (direction_ * slowest.end.y < 0.0) {
        to_event = slowest;
      }
    }
    if (direction_ * to_event.end.y < 0.0) {
      to_event = reversal_within(to_event);
    }
    return to_event.turns_back ? to_event : leg_end_within(to_event);
  }

 private:
  /// Returns whether the speed in the direction of motion decreases at the start of the step that
  /// ends at `end`, and is ≥ 0 and increases at the end. The speed then has a minimum inside the
  /// step.
  [[nodiscard]] bool has_interior_minimum(const TimedMotion& end) const {
    return direction_ * start_acceleration_ < 0.0 && direction_ * end.y >= 0.0 &&
           direction_ * step_.acceleration(end) > 0.0;
  }

  /// Returns the part of the step up to the minimum of the speed, where the acceleration is 0.
  [[nodiscard]] EventStep slowest_within(const EventStep& step) const {
    const auto residual = [&](double h) {
      const TimedMotion motion = step_.after(h);
      return Trial{h, direction_ * step_.acceleration(motion), 0.0, 0.0, motion};
    };
    const Trial slowest = find_crossing(residual, 0.0, step.h, 0.5 * step.h);
    return {slowest.h, slowest.motion};
  }

  /// Returns the part of the step up to the reversal, where y = 0. If a mass that starts at rest
  /// moves back at once, returns a step with `turns_back` set.
  [[nodiscard]] EventStep reversal_within(const EventStep& step) const {
    const double low = step_.start().y == 0.0 ? span_until_moving(step.h) : 0.0;
    if (low < 0.0) {
      return {0.0, step_.start(), true};
    }
    const double speed = std::abs(step_.start().y) + std::abs(start_acceleration_) * step.h;
    const auto residual = [&](double h) {
      const TimedMotion motion = step_.after(h);
      return Trial{h, -direction_ * motion.y, -direction_ * step_.acceleration(motion),
                   base::epsilon * speed, motion};
    };
    const Cubic y{step_.start().y, start_acceleration_, step.end.y, step_.acceleration(step.end),
                  step.h};
    Trial turned = find_crossing(residual, low, step.h, y.crossing(0.0, -direction_));
    turned.motion.y = 0.0;
    return {turned.h, turned.motion};
  }

  /// Returns a time less than h after which a mass that starts at rest moves in the direction of
  /// the leg, or -1 if no such time is found.
  [[nodiscard]] double span_until_moving(double h) const {
    const double least = base::epsilon * std::max(h, std::abs(step_.start().clock.time));
    while ((h *= 0.25) > least) {
      if (direction_ * step_.after(h).y > 0.0) {
        return h;
      }
    }
    return -1.0;
  }

  /// Returns the part of the step up to the end of the piece of the leg, or the whole step if x
  /// does not reach this end.
  [[nodiscard]] EventStep leg_end_within(EventStep step) const {
    const double end = step_.leg_piece().end();
    const double beyond = direction_ * (step.end.x - end);
    if (beyond < -noise_) {
      return step;
    }
    if (beyond > noise_) {
      const auto residual = [&](double h) {
        const TimedMotion motion = step_.after(h);
        return Trial{h, direction_ * (motion.x - end), direction_ * motion.y, noise_, motion};
      };
      const Cubic x{step_.start().x, step_.start().y, step.end.x, step.end.y, step.h};
      const Trial reached = find_crossing(residual, 0.0, step.h, x.crossing(end, direction_));
      step = {reached.h, reached.motion};
    }
    step.end.x = end;
    return step;
  }

  const OscillatorStep& step_;
  int direction_;
  double start_acceleration_;
  double noise_;  // the rounding error of x
};

}  // namespace masing::slab
