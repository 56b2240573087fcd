#pragma once

#include <algorithm>
#include <array>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>

#include "slab/exact/smooth_pieces.hpp"
#include "slab/problem.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::slab {

/// A measure of finitely many cells: K and M jump at breaks and are constant between them, so that
/// S is piecewise linear in x.
template <class Measure>
concept CellwiseMeasure = StiffnessMeasure<Measure> && Measure::is_cellwise;

/// The first position ahead where S(x) is not smooth: a corner, or the front reaching a break of
/// the measure; ±∞ if there is none.
template <StiffnessMeasure Measure>
double leg_end(const TurningPoints<Measure>& turning_points) {
  const double corner = turning_points.corner(turning_points.direction());
  const double front = turning_points.next_break();
  return turning_points.direction() > 0 ? std::min(corner, front) : std::max(corner, front);
}

/// S(x) on the smooth part of the present leg of `turning_points`, from here up to end();
/// `turning_points` must outlive the law, unchanged.
template <StiffnessMeasure Measure>
class LegLaw {
 public:
  explicit LegLaw(const TurningPoints<Measure>& turning_points)
      : turning_points_(&turning_points), end_(leg_end(turning_points)) {}

  [[nodiscard]] double end() const { return end_; }
  [[nodiscard]] double operator()(double x) const { return turning_points_->force_at(x); }

 private:
  const TurningPoints<Measure>* turning_points_;
  double end_;
};

/// The same for finitely many cells: a straight line, which goes on beyond both ends.
template <CellwiseMeasure Measure>
class LegLaw<Measure> {
 public:
  explicit LegLaw(const TurningPoints<Measure>& turning_points) : end_(leg_end(turning_points)) {
    // In the middle no rounding can put a cell on the wrong side of the front.
    const double beyond =
        turning_points.x() + turning_points.direction() * (1.0 + std::abs(turning_points.x()));
    const double end = std::isfinite(end_) ? end_ : beyond;
    middle_ = turning_points.x() + 0.5 * (end - turning_points.x());
    force_ = turning_points.force_at(middle_);
    stiffness_ = turning_points.stiffness_at(middle_);
  }

  [[nodiscard]] double end() const { return end_; }
  [[nodiscard]] double operator()(double x) const { return force_ + stiffness_ * (x - middle_); }

 private:
  double end_;
  double middle_ = 0.0;
  double force_ = 0.0;
  double stiffness_ = 0.0;
};

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

  /// The error of after(h) against two steps of h/2: the maximum of |Δx|·ω and |Δy|. (Fehlberg's
  /// own estimate contains only the feedback of x, not F(t).)
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

}  // namespace masing::slab
