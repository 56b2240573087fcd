#include "slab/exact/oscillator_step.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <cmath>
#include <numeric>

#include "base/limits.hpp"

namespace masing::slab {

LegPiece::LegPiece(const TurningPoints& turning_points)
    : turning_points_(&turning_points), is_line_(turning_points.is_piecewise_linear()) {
  const int direction = turning_points.direction();
  const double corner = turning_points.corner(direction);
  const double front = turning_points.next_break();
  end_ = direction > 0 ? std::min(corner, front) : std::max(corner, front);
  const bool slides_whole = !std::isfinite(front);  // S is then constant
  is_line_ = is_line_ || slides_whole;
  if (!is_line_) {
    return;
  }
  // The line is determined at the middle of the piece, where rounding cannot move the threshold of
  // a cell to the other side of the front.
  const double here = turning_points.x();
  const double end = std::isfinite(end_) ? end_ : here + direction * (1.0 + std::abs(here));
  middle_ = here + 0.5 * (end - here);
  force_ = turning_points.force_at(middle_);
  stiffness_ = slides_whole ? 0.0 : turning_points.stiffness_at(middle_);
}

namespace {

/// Returns the solution at the time h of the differential equation `system`, whose state is 0 at
/// the time 0, computed by one step of the Runge-Kutta-Fehlberg method.
template <std::size_t size, class System>
std::array<double, size> fehlberg_step(const System& system, double h) {
  std::array<double, size> state{};
  boost::numeric::odeint::runge_kutta_fehlberg78<std::array<double, size>> stepper;
  stepper.do_step(system, state, 0.0, h);
  return state;
}

/// A step of Gauss's collocation method with five points, which is of order 10.
class GaussCollocation {
 public:
  /// Returns ξ and υ at the time h, where ξ' = υ, υ' = rate(force(τ), τ, ξ, υ), and both are 0 at τ
  /// = 0. `decay` is the number c/m in the term -(c/m)·υ of `rate`.
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
      // Another iteration would cause a relative change of υ of at most (ωh)²/2 times the relative
      // change of ξ in this iteration, plus hc/m times the relative change of υ in this iteration.
      // By default a step is at most a quarter of 1/ω and of m/c. Then the change is of the order
      // of rounding if the following condition holds.
      if (change * (1.0 + 100.0 * h * decay) <= 1e-13 * size) {
        break;
      }
    }
    return {h * h * dot(method.twice_[points], rates), h * dot(method.once_[points], rates)};
  }

 private:
  static constexpr int points = 5;
  using Values = std::array<double, points>;

  /// Returns Σ a_i b_i.
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
    // For c equal to each of the five points and to 1, compute ∫₀ᶜ (c - s) ℓ_j(s) ds and ∫₀ᶜ ℓ_j(s)
    // ds, where ℓ_j are Lagrange's basis polynomials of the five points. The Gauss rule itself
    // integrates these polynomials exactly.
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

  // The Gauss points, in (0, 1).
  Values place_{};
  // The weights of the rule for ∫₀¹ f(s) ds.
  Values weight_{};
  // once_[i] has the weights of ∫₀ᶜ f(s) ds, where c is place_[i] for i < 5, and 1 for i = 5.
  std::array<Values, points + 1> once_{};
  // twice_[i] has the weights of ∫₀ᶜ (c - s) f(s) ds with the same c.
  std::array<Values, points + 1> twice_{};
};

}  // namespace

Works OscillatorStep::works(double h) const {
  using State = std::array<double, 5>;
  const auto system = [&](const State& state, State& rate, double tau) {
    const double x = start_.x + (start_.y * tau + state[0]);
    const double y = start_.y + state[1];
    const double force = (*force_)(start_.clock.time + (start_.clock.rest + tau));
    rate = {state[1], acceleration_by(force, x, y), force * y,
            (leg_piece_(x) + oscillator_.preload) * y, oscillator_.damping * y * y};
  };
  const State end = fehlberg_step<5>(system, h);
  return {end[2], end[3], end[4]};
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

// The unknowns are the increments ξ = x - x_start - y_start τ and υ = y - y_start, so that these
// small numbers are not rounded at every stage as parts of x and y.
TimedMotion OscillatorStep::step(const TimedMotion& from, double h) const {
  const auto force = [&](double tau) {
    return (*force_)(from.clock.time + (from.clock.rest + tau));
  };
  const auto rate = [&](double f, double tau, double xi, double upsilon) {
    return acceleration_by(f, from.x + (from.y * tau + xi), from.y + upsilon);
  };
  using State = std::array<double, 2>;
  const auto system = [&](const State& state, State& change, double tau) {
    change = {state[1], rate(force(tau), tau, state[0], state[1])};
  };
  const double decay = oscillator_.damping / oscillator_.mass;
  const auto [xi, upsilon] = method_ == StepMethod::fehlberg
                                 ? fehlberg_step<2>(system, h)
                                 : GaussCollocation::increments(force, rate, h, decay);
  return {from.clock.after(h), from.x + (from.y * h + xi), from.y + upsilon};
}

}  // namespace masing::slab
