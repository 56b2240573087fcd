#include "slab/exact/exact_solution.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "base/limits.hpp"

namespace masing::slab {

LegForce::LegForce(const TurningPoints& turning_points)
    : turning_points_(&turning_points), is_line_(turning_points.is_piecewise_linear()) {
  const int direction = turning_points.direction();
  const double corner = turning_points.corner(direction);
  const double front = turning_points.next_break();
  end_ = direction > 0 ? std::min(corner, front) : std::max(corner, front);
  if (!is_line_) {
    return;
  }
  // In the middle no rounding can put a cell on the wrong side of the front.
  const double here = turning_points.x();
  const double end = std::isfinite(end_) ? end_ : here + direction * (1.0 + std::abs(here));
  middle_ = here + 0.5 * (end - here);
  force_ = turning_points.force_at(middle_);
  stiffness_ = turning_points.stiffness_at(middle_);
}

namespace {

struct Fehlberg {
  /// ξ and υ after a span h, of ξ' = υ, υ' = rate(force(τ), τ, ξ, υ), both 0 at τ = 0.
  template <class Force, class Rate>
  static std::array<double, 2> increments(const Force& force, const Rate& rate, double h) {
    using State = std::array<double, 2>;
    const auto system = [&](const State& state, State& change, double tau) {
      change[0] = state[1];
      change[1] = rate(force(tau), tau, state[0], state[1]);
    };
    State state{0.0, 0.0};
    boost::numeric::odeint::runge_kutta_fehlberg78<State> stepper;
    stepper.do_step(system, state, 0.0, h);
    return state;
  }
};

class GaussCollocation {
 public:
  /// As Fehlberg::increments; υ' falls with υ by `decay`, c/m.
  template <class Force, class Rate>
  static std::array<double, 2> increments(const Force& force, const Rate& rate, double h,
                                          double decay) {
    static const GaussCollocation method;
    Values forces{};
    Values xi{};
    Values upsilon{};
    Values rates{};
    for (int i = 0; i < points; ++i) {
      forces[i] = force(method.place_[i] * h);
    }
    constexpr int most_passes = 40;
    for (int pass = 0; pass < most_passes; ++pass) {
      for (int i = 0; i < points; ++i) {
        rates[i] = rate(forces[i], method.place_[i] * h, xi[i], upsilon[i]);
      }
      double change = 0.0;
      double size = 0.0;
      for (int i = 0; i < points; ++i) {
        const double next = h * h * dot(method.twice_[i], rates);
        change = std::max(change, std::abs(next - xi[i]));
        size = std::max(size, std::abs(next));
        xi[i] = next;
        upsilon[i] = h * dot(method.once_[i], rates);
      }
      // The next pass would change υ by (ωh)³/2 of this, and by hc/m of what it changed by; steps
      // are a fraction of 1/ω and of m/c.
      if (change * (1.0 + 100.0 * h * decay) <= 1e-13 * size) {
        break;
      }
    }
    return {h * h * dot(method.twice_[points], rates), h * dot(method.once_[points], rates)};
  }

 private:
  static constexpr int points = 5;
  using Values = std::array<double, points>;

  static double dot(const Values& a, const Values& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  }

  GaussCollocation() {
    using Legendre = boost::math::quadrature::gauss<double, points>;
    for (int i = 0; i < points; ++i) {
      const int half = std::abs(i - points / 2);
      place_[i] = 0.5 + (i < points / 2 ? -0.5 : 0.5) * Legendre::abscissa()[half];
      weight_[i] = 0.5 * Legendre::weights()[half];
    }
    // ∫₀ᶜ (c - s) ℓ_j(s) ds and ∫₀ᶜ ℓ_j(s) ds by the rule itself, exact for these polynomials.
    for (int i = 0; i <= points; ++i) {
      const double end = i < points ? place_[i] : 1.0;
      for (int j = 0; j < points; ++j) {
        for (int q = 0; q < points; ++q) {
          double basis = weight_[q] * (1.0 - place_[q]);
          for (int other = 0; other < points; ++other) {
            basis *=
                other == j ? 1.0 : (end * place_[q] - place_[other]) / (place_[j] - place_[other]);
          }
          twice_[i][j] += end * end * basis;
          once_[i][j] += end * basis / (1.0 - place_[q]);
        }
      }
    }
    once_[points] = weight_;
  }

  Values place_{};                          // of the points, in (0, 1)
  Values weight_{};                         // of ∫₀¹
  std::array<Values, points + 1> once_{};   // weights of ∫₀ᶜ, c each point, and 1
  std::array<Values, points + 1> twice_{};  // weights of ∫₀ᶜ∫, c each point, and 1
};

}  // namespace

Works OscillatorStep::works(double h) const {
  using State = std::array<double, 5>;
  const auto system = [&](const State& state, State& rate, double tau) {
    const double x = start_.x + (start_.y * tau + state[0]);
    const double y = start_.y + state[1];
    const double force = (*force_)(start_.clock.time + (start_.clock.rest + tau));
    rate = {state[1], acceleration_by(force, x, y), force * y, (law_(x) + oscillator_.preload) * y,
            oscillator_.damping * y * y};
  };
  State state{};
  boost::numeric::odeint::runge_kutta_fehlberg78<State> stepper;
  stepper.do_step(system, state, 0.0, h);
  return {state[2], state[3], state[4]};
}

double OscillatorStep::error(double h, const TimedMotion& end, double frequency) const {
  const TimedMotion middle = step(start_, 0.5 * h);
  const TimedMotion twice = step(middle, 0.5 * h);
  return std::max(std::abs(end.x - twice.x) * frequency, std::abs(end.y - twice.y));
}

double OscillatorStep::rounding_of_time(double h) const {
  const double unit = base::epsilon * start_.clock.time;
  if (h > 1e7 * unit) {
    return 0.0;
  }
  const double first = (*force_)(start_.clock.time);
  const double middle = (*force_)(start_.clock.after(0.5 * h).time);
  const double last = (*force_)(start_.clock.after(h).time);
  return unit * (std::abs(middle - first) + std::abs(last - middle)) / oscillator_.mass;
}

// In the increments ξ = x - x_start - y_start τ and υ = y - y_start: what is small is not rounded
// to the size of x and y at every stage.
TimedMotion OscillatorStep::step(const TimedMotion& from, double h) const {
  const auto force = [&](double tau) {
    return (*force_)(from.clock.time + (from.clock.rest + tau));
  };
  const auto rate = [&](double f, double tau, double xi, double upsilon) {
    return acceleration_by(f, from.x + (from.y * tau + xi), from.y + upsilon);
  };
  const double decay = oscillator_.damping / oscillator_.mass;
  const auto [xi, upsilon] = method_ == StepMethod::fehlberg
                                 ? Fehlberg::increments(force, rate, h)
                                 : GaussCollocation::increments(force, rate, h, decay);
  return {from.clock.after(h), from.x + (from.y * h + xi), from.y + upsilon};
}

namespace {

using base::infinity;

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
    double distance = direction_ * (step_.law().end() - step_.start().x);
    double speed = direction_ * step_.start().y;
    // In a power of two, so that no square overflows, and no bit changes.
    const double unit = std::ldexp(1.0, std::ilogb(std::max(std::abs(distance), std::abs(speed))));
    distance /= unit;
    speed /= unit;
    const double square =
        speed * speed + 2.0 * direction_ * (start_acceleration_ / unit) * distance;
    return square > 0.0 && std::isfinite(distance) ? 2.0 * distance / (speed + std::sqrt(square))
                                                   : infinity;
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
    return found.turns_back ? found : law_end_within(found);
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
      return Residual<TimedMotion>{motion, direction_ * step_.acceleration(motion), 0.0, 0.0};
    };
    const auto [h, at] = find_crossing(residual, 0.0, step.h, 0.5 * step.h);
    return {h, at.point};
  }

  [[nodiscard]] EventStep reversal_within(const EventStep& step) const {
    const double low = step_.start().y == 0.0 ? under_way(step.h) : 0.0;
    if (low < 0.0) {
      return {0.0, step_.start(), true};
    }
    const double speed = std::abs(step_.start().y) + std::abs(start_acceleration_) * step.h;
    const auto residual = [&](double h) {
      const TimedMotion motion = step_.after(h);
      return Residual<TimedMotion>{motion, -direction_ * motion.y,
                                   -direction_ * step_.acceleration(motion), base::epsilon * speed};
    };
    const Cubic y{step_.start().y, start_acceleration_, step.end.y, step_.acceleration(step.end),
                  step.h};
    const auto [h, at] = find_crossing(residual, low, step.h, y.crossing(0.0, -direction_));
    EventStep found{h, at.point};
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
        const TimedMotion motion = step_.after(h);
        return Residual<TimedMotion>{motion, direction_ * (motion.x - end), direction_ * motion.y,
                                     noise_};
      };
      const Cubic x{step_.start().x, step_.start().y, step.end.x, step.end.y, step.h};
      const auto [h, at] = find_crossing(residual, 0.0, step.h, x.crossing(end, direction_));
      step = {h, at.point};
    }
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
  const TimedMotion motion = planned_->at_rest ? motion_ : planned_->step.after(span);
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
    const int direction = starting_direction(force_, motion_.clock, resistance, span);
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
      Planned{OscillatorStep(oscillator_, force_, LegForce(turning_points_), motion_, method_),
              {span, motion_},
              true});
  planned_->whole.end.clock = motion_.clock.after(span);
}

bool ExactSolution::plan_motion() {
  const OscillatorStep step(oscillator_, force_, LegForce(turning_points_), motion_, method_);
  const EventSearch search(step, turning_points_.direction());
  // A little beyond the expected event, so that it is found and not just missed.
  double h = std::min(
      {fitting_step_, 1.02 * search.expected_span(), motion_.clock.until(force_.piece_end())});
  for (;;) {
    const EventStep found = search.first_event(h);
    if (found.turns_back) {
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
