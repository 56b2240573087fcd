#pragma once

#include <algorithm>
#include <cmath>

#include "base/limits.hpp"
#include "slab/exact/oscillator_step.hpp"

/// The first event within a step of the mass, by trial steps from its start.
namespace masing::slab {

/// A trial span h with a residual g(h) and its slope g'(h).
struct Trial {
  double h;
  double value;
  double slope;
  double noise;             ///< |g| up to which it is rounding
  TimedMotion motion = {};  ///< after h, if g is computed from it
};

/// The last trial of a search for the zero of g between `low` (g < 0) and `high` (g > 0), to
/// rounding: Newton's method, and bisection where it would leave the bracket.
template <class Residual>
Trial find_crossing(const Residual& residual, double low, double high, double guess) {
  double h = guess > low && guess < high ? guess : 0.5 * (low + high);
  Trial at = residual(h);
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
  return at;
}

/// The cubic with given values and slopes at 0 and h (Hermite's).
struct Cubic {
  double value0;
  double slope0;
  double value1;
  double slope1;
  double h;

  [[nodiscard]] Trial at(double t, double level, int sign) const {
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

/// Finds the first event of a motion in one direction on one branch: a reversal, or the end of the
/// branch. Each trial is one step from the
/// same start, so that the motion at an event has full accuracy.
class EventSearch {
 public:
  EventSearch(const OscillatorStep& step, int direction)
      : step_(step),
        direction_(direction),
        start_acceleration_(step.acceleration(step.start())),
        noise_(4 * base::epsilon *
               std::max(std::abs(step.start().x),
                        std::isfinite(step.branch().end()) ? std::abs(step.branch().end()) : 0.0)) {
  }

  /// The span after which x would reach the end of the branch under a constant acceleration; ∞ if
  /// it never would.
  [[nodiscard]] double expected_span() const {
    double distance = direction_ * (step_.branch().end() - step_.start().x);
    double speed = direction_ * step_.start().y;
    // In a power of two, so that no square overflows, and no bit changes.
    const double unit = std::ldexp(1.0, std::ilogb(std::max(std::abs(distance), std::abs(speed))));
    distance /= unit;
    speed /= unit;
    const double square =
        speed * speed + 2.0 * direction_ * (start_acceleration_ / unit) * distance;
    return square > 0.0 && std::isfinite(distance) ? 2.0 * distance / (speed + std::sqrt(square))
                                                   : base::infinity;
  }

  /// The step of length h, or the shorter one to the first event.
  [[nodiscard]] EventStep first_event(double h) const {
    EventStep found{h, step_.after(h)};
    if (has_interior_minimum(found.end)) {
      const EventStep slowest = slowest_within(found);
      if (direction_ * slowest.end.y < 0.0) {
        found = slowest;
      }
    }
    if (direction_ * found.end.y < 0.0) {
      found = reversal_within(found);
    }
    return found.turns_back ? found : branch_end_within(found);
  }

 private:
  /// Whether y has a least value (in the direction of motion) inside the step.
  [[nodiscard]] bool has_interior_minimum(const TimedMotion& end) const {
    return direction_ * start_acceleration_ < 0.0 && direction_ * end.y >= 0.0 &&
           direction_ * step_.acceleration(end) > 0.0;
  }

  [[nodiscard]] EventStep slowest_within(const EventStep& step) const {
    const auto residual = [&](double h) {
      const TimedMotion motion = step_.after(h);
      return Trial{h, direction_ * step_.acceleration(motion), 0.0, 0.0, motion};
    };
    const Trial slowest = find_crossing(residual, 0.0, step.h, 0.5 * step.h);
    return {slowest.h, slowest.motion};
  }

  [[nodiscard]] EventStep reversal_within(const EventStep& step) const {
    const double low = step_.start().y == 0.0 ? under_way(step.h) : 0.0;
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

  [[nodiscard]] EventStep branch_end_within(EventStep step) const {
    const double end = step_.branch().end();
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
  double noise_;  // of x
};

}  // namespace masing::slab
