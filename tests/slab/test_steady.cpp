// Limit cycles by shooting: against the linear oscillator's closed form, against the closed form of
// closed cycles of the same amplitude, and against long transients, which come to the same cycle by
// themselves.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "base/text.hpp"
#include "slab/steady/cycle.hpp"
#include "slab/turning_points/measure.hpp"
#include "support/slab_cells.hpp"

namespace masing::test_steady {

using slab::Cycle;
using slab::Extreme;

struct ForcedProblem {
  std::string stiffness = "1";
  std::string threshold = "s+0.1";
  std::string force = "0.45*cos(0.8*t)";
  double period = 2 * std::numbers::pi / 0.8;
  slab::Oscillator oscillator{.mass = 1.0, .k0 = 0.2, .x0 = 0.0, .y0 = 0.0};
};

struct SolvedProblem {
  explicit SolvedProblem(const ForcedProblem& problem)
      : measure(slab::make_continuous_measure(support::problem({.stiffness = problem.stiffness,
                                                                .threshold = problem.threshold,
                                                                .space = support::space_of(0)}))),
        map(*measure, problem.oscillator,
            {base::Function(problem.force, 't'), {}, problem.period}) {}

  [[nodiscard]] Cycle from_rest() const { return from(slab::run_until_periodic(map)); }
  [[nodiscard]] Cycle from(const slab::PeriodicState& settled) const {
    return slab::find_cycle(map, map.outer_extreme(settled.state, settled.multiple).value(),
                            settled.multiple);
  }

  /// The last of many periods from rest.
  [[nodiscard]] slab::PeriodEnd after(int periods) const {
    const slab::Oscillator& at = map.oscillator();
    slab::PeriodEnd state{at.x0, at.y0, {at.x0, at.x0, 1, at.x0, {}}};
    for (int period = 0; period < periods; ++period) {
      state = map.period_after(state);
    }
    return state;
  }

  std::shared_ptr<const slab::Measure> measure;
  slab::PeriodMap map;
};

/// What it loses and its forces are those of a closed cycle of its amplitude X > 1.1, where all
/// yields: k0 X + ∫ η ds and 4 ∫ η (X - η) ds. X is that of 2000 clamped cells by leapfrog, with
/// 1000, 2000 and 4000 steps a period, extrapolated.
TEST(Steady, finds_the_cycle_of_the_papers_slab) {
  const SolvedProblem solved({});
  const Cycle cycle = solved.from_rest();
  EXPECT_NEAR(cycle.most_x, 1.643576, 5e-7);
  EXPECT_NEAR(cycle.least_x, -cycle.most_x, 1e-10);
  EXPECT_EQ(cycle.multiple, 1);
  EXPECT_LT(cycle.residual, 1e-11);
  EXPECT_EQ(cycle.frozen, 0.0);
  EXPECT_NEAR(cycle.loss, 4 * (0.6 * cycle.most_x - (1.1 * 1.1 * 1.1 - 0.001) / 3), 1e-10);
  EXPECT_NEAR(cycle.numbers.restoring_amplitude, 0.2 * cycle.most_x + 0.6, 1e-11);
}

/// The extremes are those of 4000 clamped cells after 300 periods, as above, known to 1e-7.
TEST(Steady, keeps_what_the_transient_left_of_cells_that_do_not_yield) {
  ForcedProblem problem;
  problem.force = "0.1*cos(0.8*t)";
  const Cycle cycle = SolvedProblem(problem).from_rest();
  EXPECT_NEAR(cycle.least_x, -0.1846154, 1e-7);
  EXPECT_NEAR(cycle.most_x, 0.1822614, 1e-7);
  // Cells with 2η up to the range of x yield; η has the density 1 from 0.1 on.
  EXPECT_NEAR(cycle.frozen, 1 - ((cycle.most_x - cycle.least_x) / 2 - 0.1), 1e-9);
}

TEST(Steady, is_the_linear_oscillators_where_nothing_yields) {
  ForcedProblem problem;
  problem.force = "0.01*cos(0.8*t)";
  const double amplitude = 0.01 / (1.2 - 0.64);
  const SolvedProblem solved(problem);
  const Cycle cycle =
      slab::find_cycle(solved.map, {0.0, amplitude, {0.0, amplitude, 1, 0.0, {}}, 1}, 1);
  EXPECT_NEAR(cycle.most_x, amplitude, 1e-13);
  EXPECT_NEAR(cycle.least_x, -amplitude, 1e-13);
  EXPECT_NEAR(cycle.loss, 0.0, 1e-13);
  EXPECT_EQ(cycle.frozen, 1.0);
  EXPECT_NEAR(std::abs(std::remainder(cycle.numbers.phase, 2 * std::numbers::pi)), 0.0, 1e-9);
  const double turn = std::sqrt(1.2) * problem.period;
  EXPECT_NEAR(cycle.multipliers[0].real(), std::cos(turn), 1e-7);
  EXPECT_NEAR(std::abs(cycle.multipliers[0].imag()), std::abs(std::sin(turn)), 1e-7);
  // Two periods of it are a cycle, too: the lag is that of the force's own period.
  const Cycle twice = slab::find_cycle(solved.map, cycle.extreme, 2);
  EXPECT_EQ(twice.multiple, 2);
  EXPECT_NEAR(twice.most_x, amplitude, 1e-13);
  EXPECT_NEAR(std::remainder(twice.numbers.phase, 2 * std::numbers::pi), 0.0, 1e-9);
  EXPECT_NEAR(twice.multipliers[0].real(), std::cos(2 * turn), 1e-7);
}

/// With ω₀ τ = π, ω₀² = k/m - c²/4, what is left of a transient changes its sign every period, λ =
/// -exp(-cτ/2) = -0.74, and the change over two periods is (1 - |λ|)/|λ| of that over one.
TEST(Steady, has_the_period_of_the_force_where_transients_alternate) {
  ForcedProblem problem;
  problem.oscillator.damping = 0.2;
  const double omega = 2 * std::sqrt(1.2 - 0.1 * 0.1);
  problem.force = "0.01*cos(" + base::to_text(omega) + "*t)";
  problem.period = 2 * std::numbers::pi / omega;
  const SolvedProblem solved(problem);
  const slab::PeriodicState settled = slab::run_until_periodic(solved.map);
  EXPECT_EQ(settled.multiple, 1);
  const double amplitude = 0.01 / std::hypot(1.2 - omega * omega, 0.2 * omega);
  const Cycle cycle = solved.from(settled);
  EXPECT_NEAR(cycle.most_x, amplitude, 1e-12);
  EXPECT_NEAR((cycle.multipliers[0] * cycle.multipliers[1]).real(), std::exp(-0.2 * problem.period),
              1e-6);
  // Of a slow free vibration exp(-cτ/2) = 0.985 is left after a period, so 1e-6 after some 900.
  const slab::PeriodicState slow = slab::run_until_periodic(
      SolvedProblem({.force = "0.01*cos(0.8*t)", .oscillator = {.damping = 0.0039, .k0 = 0.2}})
          .map);
  EXPECT_GT(slow.periods, 512);
  EXPECT_LT(slow.change, 1e-6);
}

TEST(Steady, finds_the_cycle_in_the_middle_of_beats_that_never_end) {
  // Near a third of the elastic frequency the beats are slow; x stays within the elastic range.
  for (const double omega : {0.3666, 0.5, 0.9}) {
    ForcedProblem problem;
    const double force = omega < 0.6 ? 0.04 : 0.01;
    problem.force = base::to_text(force) + "*cos(" + base::to_text(omega) + "*t)";
    problem.period = 2 * std::numbers::pi / omega;
    const SolvedProblem solved(problem);
    const double amplitude = force / (1.2 - omega * omega);
    const slab::PeriodicState settled = slab::run_until_periodic(solved.map);
    const Cycle cycle = solved.from(settled);
    EXPECT_NEAR(cycle.most_x, amplitude, 1e-12) << omega;
    EXPECT_EQ(cycle.frozen, 1.0);
    // Where periods end on it, from the beats alone: roundings over |1 - multiplier|³ > 4e-4.
    EXPECT_NEAR(settled.state.x, amplitude, 1e-8 * amplitude) << omega;
    EXPECT_NEAR(settled.state.y, 0.0, 1e-8 * amplitude) << omega;
  }
}

TEST(Steady, has_multipliers_by_which_transients_decay) {
  ForcedProblem problem;
  problem.force = "0.3*cos(0.5*t)+0.1*cos(t)";
  problem.period = 2 * std::numbers::pi / 0.5;
  problem.oscillator.k0 = 0.05;
  const SolvedProblem solved(problem);
  const Cycle cycle = solved.from_rest();
  ASSERT_NEAR(cycle.multipliers[0].imag(), 0.0, 1e-9);
  // What is left after 20 periods, 0.6^20, is small against what the second multiplier leaves out.
  const double y[] = {solved.after(20).y, solved.after(21).y, solved.after(22).y};
  EXPECT_NEAR((y[2] - y[1]) / (y[1] - y[0]), cycle.multipliers[0].real(), 1e-3);
}

// 2 η reaches 1.664, x ranges over less than 1: the drift alone takes the strongest cells to η.
TEST(Steady, sees_a_drift_that_cells_beyond_the_range_of_x_yield_to) {
  for (const std::string sign : {"", "-"}) {
    ForcedProblem problem;
    problem.threshold = "0.087+0.745*s^2";
    problem.force = sign + "(0.168+0.441*sin(1.283*t))";
    problem.period = 2 * std::numbers::pi / 1.283;
    problem.oscillator.k0 = 0.0;
    problem.oscillator.damping = 0.078;
    const SolvedProblem solved(problem);
    const Cycle cycle = solved.from_rest();
    EXPECT_LT(cycle.most_x - cycle.least_x, 2 * 0.832);
    EXPECT_EQ(cycle.frozen, 0.0);
    const slab::PeriodEnd before = solved.after(60);
    const slab::PeriodEnd after = solved.map.period_after(before);
    EXPECT_NEAR(cycle.drift, after.x - before.x, 1e-9);
    EXPECT_GT(std::abs(cycle.drift), 0.1);
    EXPECT_NEAR(cycle.multipliers[0].real(), 1.0, 1e-12);
  }
}

/// Found from the extreme of a smaller cycle, whose past it changes; to 1e-12 of its range a
/// period.
TEST(Steady, stays_where_it_is_found) {
  ForcedProblem problem;
  problem.force = "0.1*cos(0.8*t)";
  const Cycle smaller = SolvedProblem(problem).from_rest();
  problem.force = "0.15*cos(0.8*t)";
  const SolvedProblem solved(problem);
  const Cycle cycle = slab::find_cycle(solved.map, smaller.extreme, 1);
  EXPECT_GT(cycle.frozen, 0.01);
  const auto later = solved.map.passage(cycle.extreme, 4 * problem.period).value();
  EXPECT_NEAR(later.most_x, cycle.most_x, 1e-10);
  EXPECT_NEAR(later.least_x, cycle.least_x, 1e-10);
  EXPECT_NEAR(later.x, cycle.extreme.x, 1e-10);
}

ForcedProblem random_forced_problem(std::mt19937& random) {
  const auto between = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  const auto any_of = [&](const std::vector<std::string>& texts) {
    return texts[std::uniform_int_distribution<std::size_t>(0, texts.size() - 1)(random)];
  };
  const std::string omega = base::to_text(between(0.3, 1.6));
  return {.stiffness = any_of({"1", "1+s", "2-s", "0.5+exp(-s)"}),
          .threshold = any_of({"s+0.1", "0.05+s^2", "0.4", "1.1-s", "0.1+0.8*s*(1-s)"}),
          .force = base::to_text(between(0.2, 0.8)) + "*cos(" + omega + "*t)" +
                   any_of({"", "+0.1*sin(2*" + omega + "*t)+0.05"}),
          .period = 2 * std::numbers::pi / std::stod(omega),
          .oscillator = {.mass = between(0.5, 2), .k0 = between(0.05, 0.5)}};
}

TEST(Steady, is_where_long_transients_end) {
  std::mt19937 random(7);
  for (int i = 0; i < 6; ++i) {
    const ForcedProblem problem = random_forced_problem(random);
    SCOPED_TRACE("problem " + std::to_string(i) + ", F = " + problem.force);
    const SolvedProblem solved(problem);
    const slab::PeriodicState settled = slab::run_until_periodic(solved.map, 1e-13, 1500);
    const Cycle cycle = solved.from_rest();
    const Extreme reached = solved.map.outer_extreme(settled.state, cycle.multiple).value();
    const auto passage = solved.map.passage(reached, cycle.multiple * problem.period).value();
    if (cycle.frozen == 1.0) {
      continue;  // a motion in which nothing yields any more keeps its beats
    }
    EXPECT_NEAR(cycle.most_x, passage.most_x, 1e-9) << settled.change;
    EXPECT_NEAR(cycle.least_x, passage.least_x, 1e-9) << settled.change;
  }
}

}  // namespace masing::test_steady
