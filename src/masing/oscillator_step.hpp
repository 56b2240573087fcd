#pragma once

#include <algorithm>
#include <array>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>

#include "masing/clock.hpp"
#include "masing/problem.hpp"
#include "masing/smooth_pieces.hpp"

namespace masing {

/// The mass at a time.
struct Motion {
  Clock clock;
  double x = 0.0;
  double y = 0.0;
};

/// One step of m x'' = F(t) - k0 x - S(x) with a smooth S, by the eighth-order Runge-Kutta-Fehlberg
/// method. Law: double operator()(double x) const, the internal force S.
template <class Law>
class OscillatorStep {
 public:
  /// `force` must outlive the object.
  OscillatorStep(const Oscillator& oscillator, const SmoothPieces& force, const Law& law,
                 const Motion& start)
      : oscillator_(oscillator), force_(&force), law_(law), start_(start) {}

  [[nodiscard]] const Motion& start() const { return start_; }
  [[nodiscard]] const Law& law() const { return law_; }

  /// x'' at a motion on this law.
  [[nodiscard]] double acceleration(const Motion& motion) const {
    return acceleration(motion.clock.time, motion.x);
  }

  /// The motion a span h after the start, in one step.
  [[nodiscard]] Motion after(double h) const { return step(start_, h); }

  /// The error of after(h) as two steps of h/2 show it: max of |Δx|·ω and |Δy|. (Fehlberg's own
  /// estimate does not see F(t), only the feedback of x.)
  [[nodiscard]] double error(double h, const Motion& end, double frequency) const {
    const Motion middle = step(start_, 0.5 * h);
    const Motion twice = step(middle, 0.5 * h);
    return std::max(std::abs(end.x - twice.x) * frequency, std::abs(end.y - twice.y));
  }

 private:
  using State = std::array<double, 2>;

  [[nodiscard]] double acceleration(double t, double x) const {
    return ((*force_)(t)-oscillator_.k0 * x - law_(x)) / oscillator_.mass;
  }

  /// In the increments ξ = x - x_start - y_start τ and υ = y - y_start: what is small is not
  /// rounded to the size of x and y at every stage.
  [[nodiscard]] Motion step(const Motion& from, double h) const {
    const auto increments = [&](const State& state, State& rate, double tau) {
      rate[0] = state[1];
      rate[1] = acceleration(from.clock.time + (from.clock.rest + tau),
                             from.x + (from.y * tau + state[0]));
    };
    State state{0.0, 0.0};
    boost::numeric::odeint::runge_kutta_fehlberg78<State> stepper;
    stepper.do_step(increments, state, 0.0, h);
    return {from.clock.after(h), from.x + (from.y * h + state[0]), from.y + state[1]};
  }

  Oscillator oscillator_;
  const SmoothPieces* force_;
  Law law_;
  Motion start_;
};

}  // namespace masing
