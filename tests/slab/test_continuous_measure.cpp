// P = ∞: tables of K and M against closed forms, and against many cells.
#include "slab/turning_points/measure.hpp"
#include "support/slab_cells.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "slab/profile.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::test_continuous_measure {

using slab::Sums;
using slab::TurningPoints;
using support::Problem;

Problem make_problem(const std::string& stiffness, const std::string& threshold,
                     const std::string& initial_u = "0") {
  return support::problem({.stiffness = stiffness, .threshold = threshold, .initial_u = initial_u});
}

/// K and M against ∫₀^q k and ∫₀^q k η in closed form, at `count` radii around [low, high].
void expect_sums(const Problem& problem, double low, double high,
                 const std::function<Sums(double)>& exact, double tolerance) {
  const auto measure = slab::make_continuous_measure(problem);
  for (int i = -50; i <= 1050; ++i) {
    const double r = low + (high - low) * (i + 0.37) / 1000;
    const Sums sums = measure->below(r);
    const Sums wanted = exact(r);
    ASSERT_NEAR(sums.stiffness, wanted.stiffness, tolerance) << "r = " << r;
    ASSERT_NEAR(sums.force, wanted.force, tolerance) << "r = " << r;
    // What the force needs: consistent to rounding, root singularities or not.
    ASSERT_NEAR(r * sums.stiffness - sums.force, r * wanted.stiffness - wanted.force, 1e-14)
        << "r = " << r;
  }
}

TEST(ContinuousMeasure, IsExactForAffineThresholdAndPolynomialStiffness) {
  const auto papers = [](double r) {
    const double q = std::clamp(r - 0.1, 0.0, 1.0);
    return Sums{q, q * q / 2 + 0.1 * q};
  };
  expect_sums(make_problem("1", "s+0.1"), 0.1, 1.1, papers, 4e-15);
  const auto softening = [](double r) {  // k = 1 - s, then 0
    const double q = std::min(std::clamp(r - 0.1, 0.0, 1.0), 0.5);
    return Sums{q - q * q, 0.1 * q + 0.4 * q * q - 2 * q * q * q / 3};
  };
  expect_sums(make_problem("max(0,1-2*s)", "s+0.1"), 0.1, 1.1, softening, 4e-15);
  const auto falling = [](double r) {
    const double q = 1 - std::clamp((1.5 - r) / 1.3, 0.0, 1.0);  // 1 - s, η = 1.5 - 1.3 s
    // k = 1 + s² = 1 + (1 - p)², η = 0.2 + 1.3 p, p = 1 - s from 0 to q
    const double k = 2 * q - q * q + q * q * q / 3;
    const double kp = q * q - 2 * q * q * q / 3 + q * q * q * q / 4;
    return Sums{k, 0.2 * k + 1.3 * kp};
  };
  expect_sums(make_problem("1+s^2", "1.5-1.3*s"), 0.2, 1.5, falling, 2e-14);
}

TEST(ContinuousMeasure, IsExactOnAnyScale) {
  for (const int exponent : {-660, -200, 200, 660}) {
    SCOPED_TRACE(exponent);
    const double unit = std::ldexp(1.0, exponent);
    const std::string factor = "2^(" + std::to_string(exponent) + ")*";
    const auto line = slab::make_continuous_measure(make_problem("1", factor + "(1-0.8*s)"));
    const auto parabola = slab::make_continuous_measure(make_problem("1", factor + "(s-0.5)^2"));
    for (const double r : {0.1, 0.21, 0.5, 0.77, 1.5}) {
      const double q = std::clamp((r - 0.2) / 0.8, 0.0, 1.0);
      EXPECT_NEAR(line->below(r * unit).stiffness, q, 1e-14) << r;
      EXPECT_NEAR(line->below(r * unit).force / unit, 0.2 * q + 0.4 * q * q, 1e-14) << r;
      const double p = std::min(std::sqrt(r), 0.5);  // |s - ½|
      EXPECT_NEAR(parabola->below(r * unit).stiffness, 2 * p, 1e-12) << r;
      EXPECT_NEAR(parabola->below(r * unit).force / unit, 2 * p * p * p / 3, 1e-12) << r;
    }
  }
}

TEST(ContinuousMeasure, SeesNoCornerWhereAnArgumentKeepsItsSign) {
  // 1 + tanh((s - 0.8)/0.01) is e⁻¹⁶⁰ at s = 0, and 1 ± 1 less or more some 0.1 off 0.8.
  const auto measure =
      slab::make_continuous_measure(make_problem("1", "abs(s^2+(1+tanh((s-0.8)/0.01)))"));
  for (const double q : {0.01, 0.1, 0.3, 0.6}) {
    EXPECT_NEAR(measure->below(q * q).stiffness, q, 1e-12) << q;
    EXPECT_NEAR(measure->below(q * q).force, q * q * q / 3, 1e-12) << q;
  }
  EXPECT_NEAR(measure->total().force, 1.0 / 3 + 0.4, 1e-12);
}

TEST(ContinuousMeasure, KnowsANearlyConstantThresholdToItsRounding) {
  // A unit of 0.1 in the last place is 1.4e-11 of η - 0.1 at s = 1.
  const auto measure = slab::make_continuous_measure(make_problem("1", "0.1+1e-6*s^2"));
  for (const double s : {0.1, 0.3, 0.5, 0.8}) {
    EXPECT_NEAR(measure->below(0.1 + 1e-6 * s * s).stiffness, s, 1e-9) << s;
  }
}

TEST(ContinuousMeasure, HoldsPulsesOfDifferentWidths) {
  // ∫ A exp(-((s - c)/w)²) ds = A w √π for a pulse within [0, 1].
  const std::string wide = "100*exp(-((s-0.3)/0.001)^2)";
  const std::string narrow = "1e4*exp(-((s-0.7)/1e-5)^2)";
  for (const std::string& stiffness :
       {wide + "+" + narrow + "+1", "1+" + narrow + "+" + wide, narrow + "+1+" + wide}) {
    const auto measure = slab::make_continuous_measure(make_problem(stiffness, "s+0.1"));
    EXPECT_NEAR(measure->total().stiffness, 1 + 0.2 * std::sqrt(std::acos(-1.0)), 1e-12);
  }
  // of u0 nothing but a pulse
  EXPECT_FALSE(
      slab::make_continuous_measure(make_problem("1", "s+0.1", "0.05*exp(-((s-0.4)/1e-6)^2)"))
          ->begins_at_zero());
}

TEST(ContinuousMeasure, TakesAConstantThresholdAsOneStep) {
  const auto measure = slab::make_continuous_measure(make_problem("2-s", "0.5"));
  EXPECT_EQ(measure->below(std::nextafter(0.5, 0.0)).stiffness, 0.0);
  EXPECT_NEAR(measure->below(0.5).stiffness, 1.5, 1e-15);
  EXPECT_NEAR(measure->below(0.5).force, 0.75, 1e-15);
  slab::SearchHint hint;
  EXPECT_EQ(measure->next_break(0.1, hint), 0.5);
  EXPECT_EQ(measure->next_break(0.5, hint), std::numeric_limits<double>::infinity());
}

TEST(ContinuousMeasure, TakesAFlatPieceAsAStepAndFindsKinks) {
  const auto exact = [](double r) {  // η = max(0.3, s)
    const double q = r < 0.3 ? 0.0 : std::min(r, 1.0);
    return Sums{q, q == 0.0 ? 0.0 : 0.09 + (q * q - 0.09) / 2};
  };
  expect_sums(make_problem("1", "max(0.3,s)"), 0.31, 1.0, exact, 1e-12);
  expect_sums(make_problem("1", "points:0 0.3; 0.3 0.3; 1 1"), 0.31, 1.0, exact, 1e-12);
  const auto bent = [](double r) {  // η = 0.5 + |s - 0.37|/2, k = 1 + |s - 0.37|
    const double p = std::clamp(2 * r - 1, 0.0, 0.63);
    const double l = std::min(p, 0.37);
    const auto k = [](double q) { return q + q * q / 2; };
    const auto m = [](double q) { return q / 2 + q * q / 2 + q * q * q / 6; };
    return Sums{k(l) + k(p), m(l) + m(p)};
  };
  expect_sums(make_problem("1+abs(s-0.37)", "0.5+abs(s-0.37)/2"), 0.5, 0.815, bent, 1e-12);
}

TEST(ContinuousMeasure, FollowsManyOscillations) {
  const double pi = std::acos(-1.0);
  const auto exact = [&](double r) {  // η = 1 + sin(20πs)/2: arcsine law
    const double z = std::clamp(2 * (r - 1), -1.0, 1.0);
    const double k = 0.5 + std::asin(z) / pi;
    return Sums{k, k - 0.5 * std::sqrt(1 - z * z) / pi};
  };
  expect_sums(make_problem("1", "1+0.5*sin(20*pi*s)"), 0.5, 1.5, exact, 2e-12);
}

/// S over a random walk: P = ∞ against P cells sampled at midpoints.
double largest_difference(const Problem& problem, int cells) {
  Problem sampled = problem;
  sampled.space = support::space_of(cells);
  sampled.rule = slab::Rule::midpoint;
  const auto continuous = slab::make_continuous_measure(problem);
  const auto discrete = make_cell_measure(support::cells_of(sampled));
  TurningPoints limit(*continuous, 0.0);
  TurningPoints finite(*discrete, 0.0);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(0.0, 0.3);
  double largest = 0.0;
  double x = 0.0;
  for (int step = 0; step < 2000; ++step) {
    x = 0.99 * x + normal(random);
    largest = std::max(largest, std::abs(limit.move_to(x) - finite.move_to(x)));
  }
  return largest;
}

TEST(ContinuousMeasure, IsTheLimitOfManyCells) {
  for (const auto& [k, eta, u0] : {std::array{"1", "s+0.1", "0"},
                                   {"1+0.5*s", "0.3+(s-0.4)^2", "0"},
                                   {"1+0.5*s", "s+0.1", "0.3*s+0.02"},
                                   {"2-s", "0.3+(s-0.4)^2", "-0.25-(s-0.4)^2"},
                                   {"1", "max(0.3,s)", "0.5*max(0.3,s)"},
                                   {"1", "s+0.1", "s+0.1"},
                                   {"1", "s+0.2", "-s"},
                                   {"1", "0.5", "0.25"},
                                   {"1", "0.5", "s-0.5"},
                                   {"1+s", "s+0.1", "(s+0.1)*sin(20*s)"},
                                   {"2-s", "0.3+(s-0.4)^2", "0.25*cos(11*s)"},
                                   {"1", "s+0.1", "0.1-0.2*s"},
                                   {"1+0.5*s", "0.4+0.3*abs(s-0.5)", "max(-0.4,0.9*s-0.5)"},
                                   {"1", "s+0.1", "min(s,0.5)-0.1"},
                                   {"2+sin(9*s)", "0.6+0.3*cos(7*s)", "0.2*cos(7*s)-0.1"},
                                   {"1-s", "s+0.1", "0"},
                                   {"s<0.5 ? 0 : s", "1.1-s", "0.1*cos(7*s)"}}) {
    SCOPED_TRACE(std::string(k) + ", " + eta + ", " + u0);
    const Problem problem = make_problem(k, eta, u0);
    EXPECT_LT(largest_difference(problem, 20000) * 20000.0 * 20000.0, 5.0);
  }
}

TEST(ContinuousMeasure, HasTheForceAndTheEnergyOfManyCellsForAnyInitialState) {
  // η, u0 and k jump and turn; both are of second order in the width of a cell but where they jump.
  Problem problem = make_problem("1+s*s", "0.4+0.3*sin(9*s)", "s<0.5 ? 0.1 : -0.6*(s-0.4)");
  problem.shift = support::function("0.1*cos(3*s)", 's');
  const auto measure = slab::make_continuous_measure(problem);
  TurningPoints memory(*measure, 0.1);
  // With c in the limits and in u, each force has its preload k c, too.
  constexpr int count = 20000;
  double preload = 0.0;
  std::vector<support::Slider> sliders;
  for (int i = 0; i < count; ++i) {
    const slab::Element cell = problem.element((i + 0.5) / count);
    sliders.push_back({cell.stiffness / count, cell.shift - cell.threshold,
                       cell.shift + cell.threshold, cell.shift + cell.initial_u});
    preload += sliders.back().stiffness * cell.shift;
  }
  support::ClampedSliders<double> cells(std::move(sliders), 0.1);
  for (const double x : {0.2, 0.35, 0.0, -0.1, 0.3, 0.5, 0.45, -0.3, -0.05, 0.8, 0.2, -1.2, 0.3}) {
    cells.move_to(x);
    EXPECT_NEAR(memory.move_to(x), cells.force() - preload, 1e-8) << x;
    EXPECT_NEAR(measure->elastic_energy(memory.elongation()).value(), cells.stored(), 1e-8) << x;
  }
}

}  // namespace masing::test_continuous_measure
