// The exact solution against every dynamic closed form.
#include "slab/exact/oscillator_solution.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "slab/exact_support.hpp"

namespace masing::test_oscillator_solution {

using namespace exact_test;

constexpr double pi = 3.14159265358979323846;

SmoothPieces constant(double value, double final_time = 100.0) {
  return {[value](double) { return value; }, {}, final_time};
}

TEST(OscillatorSolution, OscillatesElasticallyBelowEveryThreshold) {
  const Oscillator oscillator{.mass = 2.0, .k0 = 0.5, .x0 = 0.05, .y0 = 0.01};
  const double omega = std::sqrt(1.5 / 2.0);
  OscillatorSolution solution(papers_measure, oscillator, constant(0.0, 1000.0));
  // u = x - x0: the springs pull towards x0, k0 towards 0.
  const double centre = 0.05 / 1.5;
  for (int p = 1; p <= 1000; ++p) {
    const double t = p;
    const MassState state = solution.at(t);
    const double x =
        centre + (0.05 - centre) * std::cos(omega * t) + 0.01 / omega * std::sin(omega * t);
    ASSERT_NEAR(state.x, x, 5e-12) << t;
    ASSERT_NEAR(state.internal_force, x - 0.05, 5e-12) << t;
  }
}

TEST(OscillatorSolution, OneCellOvershootsToTheClosedFormAndRingsAboutIt) {
  const double mass = 1.7;
  const double k = 2.3;
  const double eta = 0.4;
  const double v = 1.9;
  const double omega = std::sqrt(k / mass);
  const auto cell = uniform_cells(1, k, eta);
  const Oscillator oscillator{.mass = mass, .k0 = 0.0, .x0 = 0.0, .y0 = v};
  ASSERT_GT(v / omega, eta);

  const double yields = std::asin(eta * omega / v) / omega;
  const double speed = v * std::cos(omega * yields);
  const double stops = yields + speed * mass / (k * eta);
  const double x_max = eta / 2 + mass * v * v / (2 * k * eta);

  OscillatorSolution solution(*cell, oscillator, constant(0.0));
  EXPECT_NEAR(solution.at(yields).x, eta, 1e-14);
  EXPECT_NEAR(solution.at(yields).y, speed, 1e-14);
  const MassState top = solution.at(stops);
  EXPECT_NEAR(top.x, x_max, 1e-14);
  EXPECT_NEAR(top.y, 0.0, 1e-14);
  for (int i = 0; stops + 0.37 * i < 100.0; ++i) {
    const double t = stops + 0.37 * i;
    ASSERT_NEAR(solution.at(t).x, x_max - eta + eta * std::cos(omega * (t - stops)), 3e-12) << t;
  }
}

TEST(OscillatorSolution, BilinearOscillatorIsTheClosedFormBetweenEvents) {
  // Elastic with k0 + k, then plastic with k0 and the constant pull kη; then elastic again.
  const double k0 = 0.3;
  const double k = 1.0;
  const double eta = 0.25;
  const double v = 1.2;
  const auto cell = uniform_cells(1, k, eta);
  const Oscillator oscillator{.mass = 1.0, .k0 = k0, .x0 = 0.0, .y0 = v};
  const double w1 = std::sqrt(k0 + k);
  const double w2 = std::sqrt(k0);
  const double t1 = std::asin(eta * w1 / v) / w1;
  const double v1 = v * std::cos(w1 * t1);
  const double rest = -k * eta / k0;  // of the plastic phase
  const double t2 = t1 + std::atan2(v1, w2 * (eta - rest)) / w2;
  const double x2 = rest + std::hypot(eta - rest, v1 / w2);
  const double centre = k * (x2 - eta) / (k0 + k);

  OscillatorSolution solution(*cell, oscillator, constant(0.0));
  const double plastic = 0.6 * (t2 - t1);
  EXPECT_NEAR(solution.at(t1 + plastic).x,
              rest + (eta - rest) * std::cos(w2 * plastic) + v1 / w2 * std::sin(w2 * plastic),
              1e-14);
  EXPECT_NEAR(solution.at(t2).x, x2, 1e-14);
  EXPECT_NEAR(solution.at(t2).y, 0.0, 1e-14);
  const double back = std::acos((x2 - 2 * eta - centre) / (x2 - centre)) / w1;
  EXPECT_NEAR(solution.at(t2 + 0.9 * back).x, centre + (x2 - centre) * std::cos(0.9 * w1 * back),
              1e-13);
}

TEST(OscillatorSolution, FromRestWithASpeedTheBackboneTakesTheEnergy) {
  for (const double v : {0.05, 0.3, 0.9, 2.5}) {
    const Oscillator oscillator{.mass = 1.3, .k0 = 0.0, .x0 = 0.0, .y0 = v};
    const double stop = first_stop(papers_measure, oscillator, constant(0.0), 0.0, 7.0);
    const double x1 = exact_at(papers_measure, oscillator, constant(0.0), stop).x;
    EXPECT_NEAR(papers_backbone_integral(x1), 0.5 * 1.3 * v * v, 1e-13) << v;
  }
}

TEST(OscillatorSolution, TakesTheEnergyOfASpeedOfAnyScale) {
  for (const int exponent : {-660, 660}) {
    const double unit = std::ldexp(1.0, exponent);
    const auto measure = slab::make_continuous_measure(
        support::problem({.threshold = "2^(" + std::to_string(exponent) + ")*(s+0.1)",
                          .space = support::space_of(0)}));
    const Oscillator oscillator{.mass = 1.3, .k0 = 0.0, .x0 = 0.0, .y0 = 0.9 * unit};
    const double stop = first_stop(*measure, oscillator, constant(0.0), 0.0, 7.0);
    const double x1 = exact_at(*measure, oscillator, constant(0.0), stop).x / unit;
    EXPECT_NEAR(papers_backbone_integral(x1), 0.5 * 1.3 * 0.9 * 0.9, 1e-13) << exponent;
  }
}

TEST(OscillatorSolution, StepLoadReachesTheFirstPeakOfTheBackbone) {
  for (const double force : {0.04, 0.2, 0.35, 0.45}) {
    const Oscillator oscillator{.mass = 0.8, .k0 = 0.0, .x0 = 0.0, .y0 = 0.0};
    const double stop = first_stop(papers_measure, oscillator, constant(force), 0.5, 8.0);
    const double x1 = exact_at(papers_measure, oscillator, constant(force), stop).x;
    EXPECT_NEAR(papers_backbone_integral(x1) - force * x1, 0.0, 1e-13) << force;
  }
}

TEST(OscillatorSolution, SquareForceOnAnElasticOscillatorIsTheClosedForm) {
  // x'' = ±f - x, with a jump every half period π/ω: the amplitude grows by 2f at every jump.
  const double f = 0.001;
  const SmoothPieces force([&](double t) { return std::sin(t) >= 0.0 ? f : -f; },
                           {pi, 2 * pi, 3 * pi, 4 * pi}, 4.5 * pi);
  const Oscillator oscillator{.mass = 1.0, .k0 = 0.0, .x0 = 0.0, .y0 = 0.0};
  OscillatorSolution solution(papers_measure, oscillator, force);
  EXPECT_NEAR(solution.at(pi).x, 2 * f, 1e-13);
  EXPECT_NEAR(solution.at(1.5 * pi).x, -f, 1e-13);
  EXPECT_NEAR(solution.at(1.5 * pi).y, -3 * f, 1e-13);
  EXPECT_NEAR(solution.at(2 * pi).x, -4 * f, 1e-13);
  EXPECT_NEAR(solution.at(4 * pi).x, -8 * f, 1e-13);
}

TEST(OscillatorSolution, StaysAtRestUntilTheForceSetsIn) {
  const double late = 10.0;
  const SmoothPieces force([&](double t) { return t < late ? 0.0 : 0.05; }, {late}, 20.0);
  OscillatorSolution solution(papers_measure, {}, force);
  EXPECT_EQ(solution.at(late).x, 0.0);
  EXPECT_NEAR(solution.at(late + 1.0).x, 0.05 * (1 - std::cos(1.0)), 1e-13);
}

TEST(OscillatorSolution, SetsOffUnderAForceThatGrowsFromNothing) {
  // x'' + x = t³: x = t³ - 6t + 6 sin t; either way, and from a force that balances S.
  for (const double sign : {1.0, -1.0}) {
    const SmoothPieces force([&](double t) { return sign * t * t * t; }, {}, 1.0);
    const MassState state = exact_at(papers_measure, {}, force, 0.9);
    EXPECT_NEAR(state.x, sign * (0.729 - 5.4 + 6 * std::sin(0.9)), 1e-13);
  }
}

TEST(OscillatorSolution, FromSaturationOneWayIsFreeAndTheOtherElastic) {
  // All cells at +η: S = kη stays on the way on, and the full stiffness answers on the way back.
  const auto cells = uniform_cells(4, 1.0, 0.5, 0.5);
  for (const double push : {0.2, -0.2}) {
    OscillatorSolution solution(*cells, {}, constant(0.5 + push));
    EXPECT_EQ(solution.at(0.0).internal_force, 0.5);
    const double t = 2.0;
    EXPECT_NEAR(solution.at(t).x, push > 0 ? 0.5 * push * t * t : push * (1 - std::cos(t)), 1e-13);
  }
  // In balance it rests, whichever way it would give in.
  EXPECT_EQ(exact_at(*cells, {}, constant(0.5), 50.0).x, 0.0);
}

TEST(OscillatorSolution, IsTheSameHoweverDenselyItIsAsked) {
  const SmoothPieces force(papers_force, {}, 60.0);
  OscillatorSolution dense(papers_measure, {}, force);
  OscillatorSolution sparse(papers_measure, {}, force);
  for (int p = 0; p <= 60000; ++p) {
    const MassState state = dense.at(p * 1e-3);
    if (p % 7919 == 0) {
      EXPECT_EQ(sparse.at(p * 1e-3).x, state.x);
    }
  }
}

TEST(SmoothPieces, GoFromBreakToBreakInOrder) {
  SmoothPieces force([](double) { return 0.0; }, {3.0, 5.0, 1.0, 3.0, 0.0, -1.0}, 4.0);
  for (const double end : {1.0, 3.0, 4.0}) {
    EXPECT_EQ(force.piece_end(), end);
    force.pass_break();
  }
}

TEST(SmoothPieces, HaveTheirOwnLimitsOnBothSidesOfABreak) {
  // The jump as computed may lie a few ulp to either side of the break.
  constexpr double eps = std::numeric_limits<double>::epsilon();
  for (const double jump : {1.0 - 4 * eps, 1.0, 1.0 + 4 * eps}) {
    SmoothPieces force([jump](double t) { return t < jump ? -1.0 : 1.0; }, {1.0}, 2.0);
    EXPECT_EQ(force(1.0), -1.0) << jump - 1.0;
    force.pass_break();
    EXPECT_EQ(force(1.0), 1.0) << jump - 1.0;
  }
}

}  // namespace masing::test_oscillator_solution
