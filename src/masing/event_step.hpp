#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "masing/crossing.hpp"
#include "masing/oscillator_step.hpp"

namespace masing {

/// How a step of the exact solution ended.
enum class StepEnd {
  nothing,         ///< no event within the span
  law_end,         ///< x reached the end of the law: a corner or a break of the measure
  reversal,        ///< y = 0
  wrong_direction  ///< from rest, the mass sets off the other way
};

/// A step of length h and where it leads.
struct EventStep {
  double h = 0.0;
  Motion end;
  StepEnd kind = StepEnd::nothing;
};

/// Finds the first event of a motion that goes in one direction on one law, by stepping again and
/// again from the same start, so that the motion at an event is as exact as any.
template <class Law>
class EventSearch {
 public:
  EventSearch(const OscillatorStep<Law>& step, int direction)
      : step_(step),
        direction_(direction),
        start_acceleration_(step.acceleration(step.start())),
        noise_(4 * epsilon *
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
    if (dips(found.end)) {
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
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();

  /// Whether y has a least value (in the direction of motion) inside the step.
  [[nodiscard]] bool dips(const Motion& end) const {
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
                              -direction_ * step_.acceleration(motion), epsilon * speed};
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
    const double least = epsilon * std::max(h, std::abs(step_.start().clock.time));
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

  OscillatorStep<Law> step_;
  int direction_;
  double start_acceleration_;
  double noise_;  // of x
};

}  // namespace masing
