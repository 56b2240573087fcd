// Extrapolations of manufactured values whose limit is known, and what the grid convergence index
// promises of them.

#include "statistics/extrapolation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace masing::test_extrapolation {

using statistics::extrapolate;
using Numbers = std::vector<double>;

/// Of -1.5 + C hᵖ the error of the last level, nothing else is left; more where the promised order
/// is another or the values scatter.
TEST(Extrapolate, is_exact_for_a_power_and_careful_where_values_are_not_as_promised) {
  const Numbers steps{0.4, 0.2, 0.1, 0.05};
  for (const double p : {1.0, 2.0}) {
    for (const double constant : {0.3, -0.3}) {
      Numbers values;
      for (const double h : steps) {
        values.push_back(-1.5 + constant * std::pow(h, p));
      }
      const auto found = extrapolate({steps}, values, p);
      EXPECT_NEAR(found.order, p, 1e-3);
      EXPECT_NEAR(found.value, -1.5, 1e-9);
      EXPECT_NEAR(found.index, 1.25 * 0.3 * std::pow(0.05, p), 1e-9);
      EXPECT_NEAR(found.relative, found.index / std::abs(values.back()), 1e-15);
    }
  }
  Numbers values{1.048, 1.012, 1.003, 1.00075};  // 1 + 0.3 h²
  EXPECT_GT(extrapolate({steps}, values, 1.0).index, 2.5 * 0.3 * 0.05 * 0.05);
  for (const std::size_t l : {0, 1, 2, 3}) {
    values[l] += l % 2 == 1 ? -0.004 : 0.004;
  }
  EXPECT_GT(extrapolate({steps}, values, 2.0).index, 0.004);
}

/// P and N refined in turn: the last pairs alone would say a fourth of the error, or less.
TEST(Extrapolate, of_two_steps_bounds_the_error_of_both) {
  Numbers ds;
  Numbers dt;
  Numbers values;
  for (int l = 0; l < 6; ++l) {
    ds.push_back(std::ldexp(0.01, -(l + 1) / 2));
    dt.push_back(std::ldexp(0.04, -l / 2));
    values.push_back(2.0 + 3.0 * ds.back() - 0.7 * dt.back());
  }
  const auto found = extrapolate({ds, dt}, values, 1.0);
  EXPECT_NEAR(found.value, 2.0, 1e-12);
  // Errors that cancel are not trusted to do so.
  EXPECT_NEAR(found.index, 1.25 * (3.0 * ds.back() + 0.7 * dt.back()), 1e-9);
}

/// The residuals are orthogonal to 1, h and h ln h, so that they change neither the limit nor the
/// order of a fit of 7 + 3 h. They leave one degree of freedom, of which Student's t is 12.706.
TEST(Extrapolate, of_four_values_has_the_scatter_of_one_degree_of_freedom) {
  const auto found = extrapolate({{8, 4, 2, 1}}, {31 - 1e-4, 19 + 5e-4, 13 - 8e-4, 10 + 4e-4}, 1.0);
  EXPECT_NEAR(found.value, 7, 1e-4);
  EXPECT_NEAR(found.index, 1.25 * 3 + 12.706 * std::sqrt(106) * 1e-4, 1e-3);
}

TEST(Extrapolate, has_the_numbers_of_the_literature_and_of_closed_forms) {
  struct Row {
    Numbers steps, values;
    double promised, order, limit, index;
  };
  const Numbers halved{4.0, 2.0, 1.0};
  const double slow = std::pow(2.0, 0.2);
  for (const Row& row : {
           // Celik et al. (2008), table 1: 1.53, 6.1685 and 2.2 % of 6.063.
           Row{{1 / std::sqrt(4500), 1 / std::sqrt(8000), 1 / std::sqrt(18000)},
               {5.863, 5.972, 6.063},
               2.0,
               1.534,
               6.1685,
               0.1319},
           // 2 + 3 h^0.2: the observed order is the smaller one, and then the promised one.
           Row{halved, {2 + 3 * slow * slow, 2 + 3 * slow, 5.0}, 2.0, 0.2, 2.0, 1.25 * 3},
           Row{halved, {2.0 + 64.0, 2.0 + 8.0, 3.0}, 2.0, 3.0, 2.0, 1.25 * 7 / 3},
           Row{halved, {2.0 + std::pow(4, 6), 2.0 + 64.0, 3.0}, 9.0, 6.0, 2.0, 1.25},
           // Two values have the promised order, and the factor 3.
           Row{{2.0, 1.0}, {6.0, 3.0}, 2.0, NAN, 2.0, 3.0},
       }) {
    const auto found = extrapolate({row.steps}, row.values, row.promised);
    EXPECT_TRUE(std::isnan(row.order) ? std::isnan(found.order)
                                      : std::abs(found.order - row.order) < 1e-3);
    EXPECT_NEAR(found.value, row.limit, 1e-4);
    EXPECT_NEAR(found.index, row.index, 1e-4);
    // Two steps on one ray are one step.
    const auto on_ray = extrapolate({row.steps, row.steps}, row.values, row.promised);
    EXPECT_NEAR(on_ray.index, found.index, 1e-9);
  }
}

/// Ladders of at least four levels that scatter, or whose finest levels are round-off.
TEST(Extrapolate, bounds_95_percent_of_the_errors) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const auto one_of = [&](const Numbers& choices) { return choices[random() % choices.size()]; };
  constexpr int draws = 1500;
  int stated = 0;
  int covered = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const double order = one_of({1.0, 2.0});
    const double promised = order * one_of({0.5, 1.0, 2.0});
    const double ratio = one_of({1.5, 2.0, 3.0});
    const double levels = one_of({4, 5, 6, 8});
    const double scatter = one_of({0.0, 0.01, 0.05});
    const double floor = scatter > 0 ? 0.0 : one_of({0.1, 1.0});
    Numbers steps;
    Numbers values;
    for (double level = levels; level-- > 0;) {
      steps.push_back(std::pow(ratio, level));
      values.push_back(7.0 + std::pow(steps.back(), order) * (1 + scatter * normal(random)) +
                       floor * normal(random));
    }
    const double index = extrapolate({steps}, values, promised).index;
    stated += std::isfinite(index) ? 1 : 0;
    covered += index >= std::abs(values.back() - 7.0) ? 1 : 0;
  }
  EXPECT_GT(stated, 0.9 * draws);     // noise as large as the last error may leave no index
  EXPECT_GE(covered, 0.95 * stated);  // what the index promises
}

TEST(Extrapolate, claims_nothing_of_values_that_do_not_approach_a_limit) {
  const std::vector<Numbers> steps{{0.4, 0.2, 0.1}};
  for (const auto& [ladder, values] : {
           std::pair(std::vector<Numbers>{{0.2}}, Numbers{1.0}),
           {steps, {1.0, std::numeric_limits<double>::quiet_NaN(), 2.5}},
           {{{0.4, 0.4, 0.2}, {0.4, 0.2, 0.2}}, {1.0, 2.0, 2.5}},
           // The values alternate, their differences are equal or grow, or fall faster than any
           // order.
           {steps, {1.0, 2.0, 1.5}},
           {steps, {1.0, 2.0, 3.0}},
           {steps, {1.0, 2.0, 4.0}},
           {steps, {1.0, 2.0, 2.0}},
           {{{0.8, 0.4, 0.2, 0.1}}, {1.0, 2.0, 3.0, 4.0}},
       }) {
    const auto found = extrapolate(ladder, values, 1.0);
    EXPECT_TRUE(std::isnan(found.order) && std::isnan(found.value)) << values.back();
    EXPECT_TRUE(std::isnan(found.index) && std::isnan(found.relative)) << values.back();
  }
}

}  // namespace masing::test_extrapolation
