// The exact solution over many cycles: against itself, and its energy.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "slab/exact/oscillator_solution.hpp"
#include "slab/exact_support.hpp"

namespace masing::test_exact_dynamics {

using namespace exact_test;
using slab::TurningPoints;

SmoothPieces papers_pieces(double final_time) {
  return {papers_force, {}, final_time};
}

TEST(OscillatorSolution, leaves_rest_under_the_hardening_spring_alone) {
  // m x'' = -k0 x - (x - x0), F = 0, nothing slides: x0/2 + x0/2 cos(√2 t).
  const Oscillator oscillator{.mass = 1.0, .k0 = 1.0, .x0 = 1.0, .y0 = 0.0};
  const SmoothPieces no_force{[](double) { return 0.0; }, {}, 10.0};
  const auto measure = uniform_cells(3, 1.0, 10.0);
  for (const double t : {1e-3, 0.1, 1.0, 7.3}) {
    const MassState state = exact_at(*measure, oscillator, no_force, t);
    EXPECT_NEAR(state.x, 0.5 + 0.5 * std::cos(std::sqrt(2.0) * t), 1e-12) << t;
    EXPECT_NEAR(state.y, -std::sqrt(0.5) * std::sin(std::sqrt(2.0) * t), 1e-12) << t;
  }
}

/// Nothing slides: S + preload does ½ (x - x0)² + preload (x - x0), and the force what the energies
/// gain and the damper takes; to the roundings of a hundred steps.
TEST(ExactDynamics, WorksAreThoseOfAPreloadedSpringAndADamper) {
  const Oscillator oscillator{
      .mass = 2.0, .damping = 0.3, .preload = 0.25, .k0 = 0.5, .x0 = 0.4, .y0 = -0.7};
  const auto measure = uniform_cells(3, 1.0, 10.0);
  OscillatorSolution solution(*measure, oscillator, papers_pieces(20.0));
  solution.follow_works();
  for (const double t : {0.3, 2.0, 7.1, 20.0}) {
    const MassState state = solution.at(t);
    const slab::Works works = solution.works();
    const double moved = state.x - oscillator.x0;
    EXPECT_NEAR(works.slab, moved * (0.5 * moved + 0.25), 1e-12) << t;
    const double gained =
        state.y * state.y - 0.7 * 0.7 + 0.5 * (0.5 * state.x * state.x - 0.5 * 0.4 * 0.4);
    EXPECT_NEAR(works.input, gained + works.slab + works.viscous, 1e-12) << t;
    EXPECT_GT(works.viscous, 0.0);
  }
}

/// W = ∫ F x' dt = [F x] - ∫ F' x dt for the papers' force, by the trapezoidal rule with end
/// corrections: fourth order, and F' x is smooth enough at events for 1e-12 here.
class InputWork {
 public:
  explicit InputWork(double dt) : dt_(dt) {}
  double after_step(double t, double x, double y) {
    const double rate = -0.225 * std::sin(0.5 * t) * x;
    const double slope = -0.1125 * std::cos(0.5 * t) * x - 0.225 * std::sin(0.5 * t) * y;
    integral_ += 0.5 * dt_ * (rate_ + rate) + dt_ * dt_ / 12 * (slope_ - slope);
    rate_ = rate;
    slope_ = slope;
    return papers_force(t) * x - integral_;
  }

 private:
  double dt_;
  double rate_ = 0.0;
  double slope_ = 0.0;
  double integral_ = 0.0;
};

TEST(ExactDynamics, InputWorkIsKineticElasticAndDissipatedEnergy) {
  // Elastic: ½∫ku². Dissipated: ∫ k η |slip| ds, the slip of a cell being what x moves and u does
  // not.
  const int count = 20;
  const auto cells = papers_cells(count);
  OscillatorSolution solution(*cells, {}, papers_pieces(30.0));
  const int steps = 300000;
  InputWork input(30.0 / steps);
  std::array<double, count> u{};
  double x = 0.0;
  double dissipated = 0.0;
  for (int p = 1; p <= steps; ++p) {
    const double t = 30.0 * p / steps;
    const MassState state = solution.at(t);
    const TurningPoints memory = solution.turning_points();
    double elastic = 0.0;
    for (int i = 0; i < count; ++i) {
      const double eta = (i + 1.0) / count + 0.1;
      const double next = memory.elongation()({.threshold = eta});
      dissipated += eta * std::abs((state.x - x) - (next - u[i])) / count;
      elastic += 0.5 * next * next / count;
      u[i] = next;
    }
    x = state.x;
    const double work = input.after_step(t, state.x, state.y);
    if (p % 1000 == 0) {
      ASSERT_NEAR(work, 0.5 * state.y * state.y + elastic + dissipated, 1e-10) << t;
    }
  }
  EXPECT_GT(dissipated, 1.0);
}

TEST(ExactDynamics, TheFieldCarriesTheInternalForce) {
  const auto eta = [](double s) { return 0.2 + std::abs(s - 0.4); };
  const auto k = [](double s) { return 1.0 + 0.5 * std::sin(3 * s); };
  const auto u0 = [&](double s) { return eta(s) * std::sin(1e5 * s); };
  const slab::Profile profile = cells_of(50, k, eta, u0);
  const auto cells = slab::make_cell_measure(profile);
  const Oscillator oscillator{.mass = 1.0, .k0 = 0.05, .x0 = 0.3, .y0 = -0.2};
  OscillatorSolution solution(*cells, oscillator, papers_pieces(100.0));
  for (int p = 0; p <= 1000; ++p) {
    const MassState state = solution.at(0.1 * p);
    const TurningPoints memory = solution.turning_points();
    double force = 0.0;
    for (std::size_t i = 0; i < 50; ++i) {
      const double u = memory.elongation()(profile.element(i));
      ASSERT_LE(std::abs(u), profile.threshold[i]);
      force += profile.stiffness[i] * u / 50;
    }
    ASSERT_NEAR(force, state.internal_force, 1e-11) << p;
  }
}

TEST(ExactDynamics, RandomCellsAndForcesAgreeUnderTwoStepControls) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    const double slope = 2 * unit(random) - 1;
    const double base = 0.05 + unit(random) + std::max(0.0, -slope);
    const double any_share = 2 * unit(random) - 1;
    const double share =
        seed % 6 == 0 ? std::copysign(1.0, any_share) : (seed % 3 == 0 ? any_share : 0.0);
    const int count = 1 + static_cast<int>(60 * unit(random));
    const double density = 0.2 + 3 * unit(random);
    const auto eta = [&](double s) { return base + (seed % 4 == 0 ? 0.0 : slope * s); };
    const auto cells = slab::make_cell_measure(cells_of(
        count, [&](double s) { return density * (1 + s); }, eta,
        [&](double s) { return share * eta(s) * (seed % 5 == 0 ? std::sin(1e5 * s) : 1.0); }));
    const Oscillator oscillator{.mass = 0.3 + unit(random),
                                .k0 = seed % 2 == 0 ? 0.0 : unit(random),
                                .x0 = 2 * unit(random) - 1,
                                .y0 = seed % 5 == 0 ? 0.0 : 2 * unit(random) - 1};
    const double a = 2 * unit(random);
    const double w = 3 * unit(random);
    const double b = unit(random);
    std::vector<double> breaks{7.0, 7.1, 20.0};
    const SmoothPieces force(
        [=](double t) {
          return (t < 7.1 && t >= 7.0 ? -b : a * std::cos(w * t)) + b * (t >= 20.0);
        },
        breaks, 60.0);
    const auto difference = exact_test::exact_self_check(*cells, oscillator, force, 60.0, 300);
    EXPECT_LT(difference.x, 1e-10) << "seed " << seed;
    EXPECT_LT(difference.y, 1e-10) << "seed " << seed;
  }
}

}  // namespace masing::test_exact_dynamics
