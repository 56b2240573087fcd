// The slab by its turning points: the sums that they look up, exact sums of cells, many cells
// without a table by Gregory's formula, and P = ∞, against closed forms and each other. The test
// compares the predicted force along a path with the force after the move, and without a mass the
// balance of a force. library/test_material.cpp clamps every spring instead.
#include "slab/turning_points/measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "slab/profile.hpp"
#include "slab/turning_points/turning_points.hpp"
#include "support/slab_cells.hpp"

namespace masing::test_turning_points {

using slab::ExactScale;
using slab::Sums;
using slab::TurningPoints;
using support::Problem;

/// Of cells whose numbers differ by 1e±10, and of ten million equal ones, where 64 bits a cell
/// would be wrong by 1e-12, doubles added one by one by 1e-10.
TEST(ExactSums, DoNotDependOnTheOrderAndKeepTheLastDigit) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> spread(0.0, 4.0);
  std::vector<std::pair<double, double>> cells(5000);
  double most_stiffness = 0.0;
  double most_force = 0.0;
  for (auto& [k, eta] : cells) {
    k = spread(random);
    eta = spread(random);
    most_stiffness = std::max(most_stiffness, k);
    most_force = std::max(most_force, k * eta);
  }
  const ExactScale scale(most_stiffness, most_force, 5000);
  const auto sum = [&] {
    slab::ExactSums sums;
    for (const auto& [k, eta] : cells) {
      sums += scale.term(k, eta);
    }
    return scale.value(sums);
  };
  const Sums first = sum();
  std::ranges::shuffle(cells, random);
  EXPECT_EQ(sum().stiffness, first.stiffness);
  EXPECT_EQ(sum().force, first.force);
  const std::int64_t equal = 10'000'000;
  const ExactScale of_equal(0.1, 0.07, equal);
  slab::ExactSums sums;
  for (std::int64_t i = 0; i < equal; ++i) {
    sums += of_equal.term(0.1, 0.7);
  }
  EXPECT_EQ(of_equal.value(sums).stiffness, 0.1);
  EXPECT_DOUBLE_EQ(of_equal.value(sums).force, 0.07);
  EXPECT_ANY_THROW(ExactScale(1e250, 1.0, 10));
  EXPECT_ANY_THROW(ExactScale(1.0, 0.0, 10));
}

Problem make_problem(const std::string& stiffness, const std::string& threshold,
                     const std::string& initial_u = "0") {
  return support::problem({.stiffness = stiffness, .threshold = threshold, .initial_u = initial_u});
}

/// K and M against ∫₀^q k and ∫₀^q k η in closed form, at radii around [low, high].
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
  const auto falling = [](double r) {
    const double q = 1 - std::clamp((1.5 - r) / 1.3, 0.0, 1.0);  // 1 - s, η = 1.5 - 1.3 s
    // k = 1 + s² = 1 + (1 - p)², η = 0.2 + 1.3 p, p = 1 - s from 0 to q
    const double k = 2 * q - q * q + q * q * q / 3;
    const double kp = q * q - 2 * q * q * q / 3 + q * q * q * q / 4;
    return Sums{k, 0.2 * k + 1.3 * kp};
  };
  expect_sums(make_problem("1+s^2", "1.5-1.3*s"), 0.2, 1.5, falling, 2e-14);
}

/// Iwan's element of Segalman: the stiffness over η < 1 is like η^χ, and a fifth slides at 1.
TEST(ContinuousMeasure, IsExactForPowersBesideAStep) {
  for (const double chi : {-0.2, -0.9}) {
    const auto iwan = [&](double r) {
      const double z = std::clamp(r, 0.0, 1.0);
      const double q = 0.8 * std::pow(z, 1 + chi);
      const double step = r < 1 ? 0.0 : 0.2;
      return Sums{q + step, q * z * (1 + chi) / (2 + chi) + step};
    };
    expect_sums(make_problem("1", "min(1,s/0.8)^" + std::to_string(1 / (1 + chi))), 0, 1.1, iwan,
                1e-12);
  }
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

TEST(ContinuousMeasure, SeesNoCornerWhereAnArgumentKeepsItsSignAndKnowsANearlyConstantThreshold) {
  // 1 + tanh((s - 0.8)/0.01) is e⁻¹⁶⁰ at s = 0, and 1 ± 1 less or more some 0.1 off 0.8.
  const auto bent =
      slab::make_continuous_measure(make_problem("1", "abs(s^2+(1+tanh((s-0.8)/0.01)))"));
  // A unit of 0.1 in the last place is 1.4e-11 of η - 0.1 at s = 1.
  const auto flat = slab::make_continuous_measure(make_problem("1", "0.1+1e-6*s^2"));
  for (const double q : {0.01, 0.1, 0.3, 0.6}) {
    EXPECT_NEAR(bent->below(q * q).stiffness, q, 1e-12) << q;
    EXPECT_NEAR(flat->below(0.1 + 1e-6 * q * q).stiffness, q, q < 0.1 ? 1e-8 : 1e-9) << q;
  }
  EXPECT_NEAR(bent->total().force, 1.0 / 3 + 0.4, 1e-12);
}

TEST(ContinuousMeasure, HoldsPulsesOfDifferentWidths) {
  // ∫ A exp(-((s - c)/w)²) ds = A w √π for a pulse within [0, 1].
  const std::string wide = "100*exp(-((s-0.3)/0.001)^2)";
  const std::string narrow = "1e4*exp(-((s-0.7)/1e-5)^2)";
  for (const std::string& stiffness : {wide + "+1+" + narrow, narrow + "+" + wide + "+1"}) {
    const auto measure = slab::make_continuous_measure(make_problem(stiffness, "s+0.1"));
    EXPECT_NEAR(measure->total().stiffness, 1 + 0.2 * std::sqrt(std::acos(-1.0)), 1e-12);
  }
  // Of u0 nothing but a pulse.
  EXPECT_FALSE(
      slab::make_continuous_measure(make_problem("1", "s+0.1", "0.05*exp(-((s-0.4)/1e-6)^2)"))
          ->begins_at_zero());
}

TEST(ContinuousMeasure, TakesAConstantThresholdAsOneStep) {
  const auto measure = slab::make_continuous_measure(make_problem("2-s", "0.5"));
  EXPECT_EQ(measure->below(std::nextafter(0.5, 0.0)).stiffness, 0.0);
  EXPECT_NEAR(measure->below(0.5).force, 0.75, 1e-15);
  slab::SearchHint hint;
  EXPECT_EQ(measure->next_break(0.1, hint), 0.5);
  EXPECT_EQ(measure->next_break(0.5, hint), HUGE_VAL);
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

using Case = std::array<const char*, 3>;

/// k, η, u0: one to twelve monotone pieces; jumps, kinks, flat pieces; varying over s.
constexpr Case cases[] = {{"1", "s+0.1", "0"},
                          {"1+0.5*sin(9*s)", "0.5+0.3*cos(17*s)", "0"},
                          {"1", "s+0.1", "(s+0.1)*sin(20*s)"},
                          {"2-s", "0.3+(s-0.4)^2", "0.25*cos(11*s)"},
                          {"1", "0.5", "s-0.5"},
                          {"1+s", "max(0.3,s)", "0.3-0.5*s"},
                          {"s<0.37 ? 1 : 2", "0.2+s", "s<0.61 ? -0.1*s : 0.2"},
                          {"exp(s)", "0.4", "-0.4"},
                          {"1", "s+0.1", "s+0.1"},
                          {"1+s", "0.4+0.3*abs(s-0.5)", "max(-0.4,0.9*s-0.5)"}};

Problem problem_of(const Case& of, std::int64_t cells, slab::Rule rule) {
  return support::problem({.stiffness = of[0],
                           .threshold = of[1],
                           .initial_u = of[2],
                           .space = support::space_of(cells),
                           .rule = rule});
}

/// Positions that stay, come back, and extend extremes.
std::vector<double> walk(int steps) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(0.0, 0.05);
  std::vector<double> path;
  double x = 0.0;
  for (int step = 0; step < steps; ++step) {
    x = 0.995 * x + normal(random) * (1 + 0.01 * step);
    path.push_back(x);
  }
  return path;
}

/// While nothing yields, it is ½ ∫ k (u0 + d)² ds.
TEST(ContinuousMeasure, KnowsTheEnergyOfElementsThatHaveNotYielded) {
  Problem problem = make_problem("1+s", "1+s", "0.2*s");
  problem.set_threshold_down(support::function("0.7+0.5*s", 's'));
  const auto measure = slab::make_continuous_measure(problem);
  TurningPoints slab(*measure, 0.0);
  for (const double d : {0.3, -0.2, 0.1}) {
    slab.move_to(d);
    // ∫ (1 + s)(0.04 s² + 0.4 d s + d²) ds
    const double twice = 0.04 * (1.0 / 3 + 1.0 / 4) + 0.4 * d * (1.0 / 2 + 1.0 / 3) + d * d * 1.5;
    EXPECT_NEAR(measure->sums(slab.elongation())->energy, twice / 2, 1e-13) << d;
  }
}

TEST(SmoothCells, have_the_sums_of_all_cells) {
  constexpr std::int64_t cells = 200000;
  int i = 0;
  for (const Case& of : cases) {
    SCOPED_TRACE(testing::PrintToString(of));
    const Problem problem =
        problem_of(of, cells, i++ % 2 == 0 ? slab::Rule::right : slab::Rule::midpoint);
    const slab::Profile profile = slab::sample_profile(problem, {0, cells});
    const auto tabled = slab::make_cell_measure(profile);
    const auto smooth = slab::make_smooth_cell_measure(problem);
    TurningPoints by_table(*tabled, 0.05);
    TurningPoints by_pieces(*smooth, 0.05);
    // δs³ f''/24 is some 1e-16 an end of a piece; the rest is rounding.
    for (const double x : walk(250)) {
      ASSERT_NEAR(by_pieces.move_to(x), by_table.move_to(x), 3e-14) << x;
      ASSERT_NEAR(by_pieces.stiffness_at(x), by_table.stiffness_at(x), 3e-14) << x;
    }
    const auto u = by_table.elongation();
    long double energy = 0.0;
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const slab::Element at = profile.element(cell);
      energy += 0.5L * at.stiffness * u(at) * u(at) / cells;
    }
    EXPECT_NEAR(smooth->sums(u)->energy, static_cast<double>(energy), 3e-14);
  }
}

TEST(SmoothCells, count_every_cell_of_a_large_number) {
  // One cell more where r reaches its threshold: η_i = 0.1 + i/P, k = 1.
  constexpr std::int64_t cells = 1'000'000'000;
  const auto measure =
      slab::make_smooth_cell_measure(problem_of(cases[0], cells, slab::Rule::right));
  for (const std::int64_t i : {1L, 2L, 77'777'777L, 500'000'001L, 999'999'999L, 1'000'000'000L}) {
    const double eta = static_cast<double>(i) / cells + 0.1;
    EXPECT_NEAR(measure->below(eta).stiffness * cells, static_cast<double>(i), 1e-6);
    EXPECT_NEAR(measure->below(std::nextafter(eta, 0.0)).stiffness * cells,
                static_cast<double>(i - 1), 1e-6);
  }
}

TEST(SmoothCells, are_not_for_what_is_not_smooth) {
  const auto smooth = [](const char* threshold, std::int64_t cells) {
    return slab::has_smooth_cells(problem_of({"1", threshold, "0"}, cells, slab::Rule::right));
  };
  EXPECT_TRUE(smooth("s+0.1", 1'000'000'000'000));
  EXPECT_FALSE(smooth("s+0.1", 1'000'000));  // has a table
  EXPECT_FALSE(smooth("1+0.5*sin(3e3*s)", 20'000'000));
}

TEST(TurningPoints, give_the_force_and_the_stiffness_ahead_without_moving) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto uniform = [&](double a, double b) {
      return std::uniform_real_distribution<double>(a, b)(random);
    };
    // Thresholds rise, are alike or any; u0 is 0, at a limit or any.
    const double slope = uniform(0, 2);
    const auto measure = slab::make_cell_measure(support::cells_of(
        1 + static_cast<int>(seed % 50), [&](double) { return uniform(0.1, 2); },
        [&](double s) {
          return seed % 3 == 0 ? 0.5 : 0.1 + slope * (seed % 3 == 1 ? s : uniform(0, 1));
        },
        [&](double) { return seed % 4 == 0   ? 0.0
                             : seed % 4 == 1 ? 0.1
                                             : uniform(-0.1, 0.1); }));
    TurningPoints memory(*measure, 0.3);
    double reach = 0.02;
    for (int turn = 0; turn < 12; ++turn, reach *= -1.4) {
      memory.move_to(0.3 + reach);
      // Ahead and back again: the look does not change what is found later.
      for (const double further : {1.0, 0.1, 3.0, 0.01}) {
        const double x = memory.x() + further * reach;
        TurningPoints moved(*measure, memory.state());
        ASSERT_EQ(memory.force_at(x), moved.move_to(x));
        const double next = moved.next_break();
        ASSERT_GT(moved.direction() * (next - x), 0.0);
        if (std::isfinite(next)) {
          // Linear up to there.
          const double ahead = (moved.force_at(next) - moved.force_at(x)) / (next - x);
          ASSERT_NEAR(moved.stiffness_at(x + (next - x) / 2), ahead,
                      1e-14 * (1 + std::abs(x)) / std::abs(next - x) + 1e-12);
        }
      }
    }
  }
}

TEST(Equilibrium, balances_any_force) {
  const std::tuple<const char*, const char*, std::int64_t> slabs[] = {
      {"0.1+s", "(0.1+s)*sin(1e5*s)", 60},
      {"0.3", "0.6*s-0.3", 60},
      {"0.3", "0.6*s-0.3", 0},
      {"0.1+s", "s-0.1", 60},
      {"0.1+s", "s-0.1", 0}};
  for (const auto& [threshold, initial_u, cells] : slabs) {
    SCOPED_TRACE(std::string(initial_u) + ", P = " + std::to_string(cells));
    const auto problem = support::problem({.stiffness = "1+s",
                                           .threshold = threshold,
                                           .initial_u = initial_u,
                                           .space = support::space_of(cells)});
    const auto measure = cells == 0 ? slab::make_continuous_measure(problem)
                                    : slab::make_cell_measure(support::cells_of(problem));
    const double saturation = measure->total().force;
    for (const double k0 : {0.0, 0.3}) {
      TurningPoints memory(*measure, 0.0);
      std::mt19937_64 random(3);
      std::uniform_real_distribution<double> share(-0.99, 0.99);
      for (int step = 0; step < 400; ++step) {
        const double force = share(random) * std::min(1.0, 0.01 * (step + 1)) * saturation;
        ASSERT_TRUE(slab::move_to_equilibrium(memory, k0, force, saturation));
        ASSERT_NEAR(k0 * memory.x() + memory.internal_force(), force, 1e-13) << step;
        const double x = memory.x();
        ASSERT_TRUE(slab::move_to_equilibrium(memory, k0, force, saturation));
        ASSERT_NEAR(memory.x(), x, 1e-11) << step;
      }
    }
  }
}

TEST(Equilibrium, is_found_on_any_scale_up_to_saturation) {
  for (const int exponent : {-660, 0, 660}) {
    SCOPED_TRACE("2^" + std::to_string(exponent));
    const double unit = std::ldexp(1.0, exponent);
    const auto measure = slab::make_continuous_measure(
        support::problem({.threshold = "2^(" + std::to_string(exponent) + ")*(s+0.1)",
                          .space = support::space_of(0)}));
    const double saturation = measure->total().force;
    EXPECT_NEAR(saturation / unit, 0.6, 1e-15);  // ∫ (s + 0.1) ds
    TurningPoints memory(*measure, 0.0);
    for (const double force : {0.05, 0.1, 0.3, 0.45, 0.59, 0.6 - 1e-6}) {
      ASSERT_TRUE(slab::move_to_equilibrium(memory, 0.0, force * unit, saturation));
      // The backbone is 0.6 - (1.1 - x)²/2, which is flat at its end.
      const double x = force <= 0.1 ? force : 1.1 - std::sqrt(1.2 - 2 * force);
      EXPECT_NEAR(memory.x() / unit, x, force < 0.595 ? 1e-13 : 1e-9) << force;
    }
    const double before = memory.x();
    EXPECT_FALSE(slab::move_to_equilibrium(memory, 0.0, saturation, saturation));
    EXPECT_FALSE(slab::move_to_equilibrium(memory, 0.0, -0.7 * unit, saturation));
    EXPECT_EQ(memory.x(), before);
    // A spring that hardens takes the rest.
    EXPECT_TRUE(slab::move_to_equilibrium(memory, 0.5, 1.6 * unit, saturation));
    EXPECT_NEAR(memory.x() / unit, 2.0, 1e-14);
  }
}

}  // namespace masing::test_turning_points
