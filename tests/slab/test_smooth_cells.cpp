// Many cells without a table: sums by Gregory's formula against exact sums of all cells, and P so
// large that it is P = ∞ but for rounding.
#include "slab/turning_points/measure.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>

#include "slab/profile.hpp"
#include "slab/turning_points/turning_points.hpp"
#include "support/problem.hpp"

namespace masing::test_smooth_cells {

using slab::TurningPoints;

struct Case {
  const char* stiffness;
  const char* threshold;
  const char* initial_u;
};

/// One to twelve monotone pieces; jumps, kinks, flat pieces; k, η, u0 varying over s.
constexpr std::array<Case, 10> cases{{{"1", "s+0.1", "0"},
                                      {"2-s", "0.2+0.5*s^2", "0"},
                                      {"1+0.5*sin(9*s)", "0.5+0.3*cos(17*s)", "0"},
                                      {"1", "s+0.1", "(s+0.1)*sin(20*s)"},
                                      {"2-s", "0.3+(s-0.4)^2", "0.25*cos(11*s)"},
                                      {"1", "0.5", "s-0.5"},
                                      {"1+s", "max(0.3,s)", "0.3-0.5*s"},
                                      {"s<0.37 ? 1 : 2", "0.2+s", "s<0.61 ? -0.1*s : 0.2"},
                                      {"exp(s)", "0.4", "-0.4"},
                                      {"max(0,s-0.3)", "1.2-s", "-0.1*s"}}};

support::Problem problem_of(const Case& of, std::int64_t cells, slab::Rule rule) {
  return support::problem({.stiffness = of.stiffness,
                           .threshold = of.threshold,
                           .initial_u = of.initial_u,
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

TEST(SmoothCells, have_the_sums_of_all_cells) {
  constexpr std::int64_t cells = 200000;
  for (const Case& of : cases) {
    for (const auto rule : {slab::Rule::right, slab::Rule::midpoint}) {
      SCOPED_TRACE(std::string(of.stiffness) + ", " + of.threshold + ", " + of.initial_u +
                   (rule == slab::Rule::right ? ", right" : ", midpoint"));
      const support::Problem problem = problem_of(of, cells, rule);
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
      for (std::int64_t i = 0; i < cells; ++i) {
        const slab::Element cell = profile.element(i);
        energy += 0.5L * cell.stiffness * u(cell) * u(cell) / cells;
      }
      EXPECT_NEAR(smooth->elastic_energy(u).value(), static_cast<double>(energy), 3e-14);
    }
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

TEST(SmoothCells, differ_from_the_continuum_by_rounding_where_they_are_very_many) {
  for (const Case& of : cases) {
    SCOPED_TRACE(std::string(of.stiffness) + ", " + of.threshold + ", " + of.initial_u);
    const support::Problem problem = problem_of(of, std::int64_t{1} << 50, slab::Rule::midpoint);
    const auto smooth = slab::make_smooth_cell_measure(problem);
    const auto continuous = slab::make_continuous_measure(problem);
    TurningPoints many(*smooth, 0.0);
    TurningPoints limit(*continuous, 0.0);
    for (const double x : walk(150)) {
      // The table of P = ∞ is good to some 1e-13.
      ASSERT_NEAR(many.move_to(x), limit.move_to(x), 1e-12) << x;
    }
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

}  // namespace masing::test_smooth_cells
