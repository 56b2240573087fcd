// Extrapolations of manufactured values whose limit is known, and what the grid convergence index
// promises of them.

#include "statistics/extrapolation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace masing::test_extrapolation {

using statistics::extrapolate;
using Numbers = std::vector<double>;

/// -1.5 + C hᵖ: ε is the error of the last level, nothing else is left.
TEST(Extrapolate, is_exact_for_a_power) {
  const Numbers steps{0.4, 0.2, 0.1, 0.05};
  for (const double p : {1.0, 2.0}) {
    for (const double constant : {0.3, -0.3}) {
      Numbers values;
      for (const double h : steps) {
        values.push_back(-1.5 + constant * std::pow(h, p));
      }
      const auto found = extrapolate({steps}, values, p);
      const double error = 0.3 * std::pow(0.05, p);
      EXPECT_NEAR(found.order, p, 1e-3);
      EXPECT_NEAR(found.value, -1.5, 1e-12);
      EXPECT_NEAR(found.index, 1.25 * error, 1e-12);
      EXPECT_NEAR(found.relative, found.index / std::abs(values.back()), 1e-15);
    }
  }
}

TEST(Extrapolate, is_more_careful_where_the_values_do_not_converge_as_promised) {
  const Numbers steps{0.4, 0.2, 0.1, 0.05, 0.025};
  Numbers values;
  for (const double h : steps) {
    values.push_back(1.0 + 0.3 * h * h);
  }
  const double error = 0.3 * 0.025 * 0.025;
  EXPECT_NEAR(extrapolate({steps}, values, 2.0).index, 1.25 * error, 1e-9);
  EXPECT_GT(extrapolate({steps}, values, 1.0).index, 2.5 * error);
  // Of the second order, and noise of a tenth of the spread of the values.
  const double noise[] = {1.0, -1.0, 1.0, 1.0, -1.0};
  for (std::size_t l = 0; l < values.size(); ++l) {
    values[l] += 0.001 * noise[l];
  }
  EXPECT_GT(extrapolate({steps}, values, 2.0).index, 0.001);
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

TEST(Extrapolate, needs_more_levels_than_unknowns) {
  constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
  const auto is_nothing = [](const statistics::Extrapolation& found) {
    return std::isnan(found.value) && std::isnan(found.index) && std::isnan(found.relative);
  };
  EXPECT_TRUE(is_nothing(extrapolate({{0.2, 0.1}}, {1.0, 2.0}, 1.0)));
  EXPECT_FALSE(is_nothing(extrapolate({{0.4, 0.2, 0.1}}, {1.0, 2.0, 2.5}, 1.0)));
  EXPECT_TRUE(is_nothing(extrapolate({{0.4, 0.2, 0.1}}, {1.0, nan_value, 2.5}, 1.0)));
  EXPECT_TRUE(is_nothing(extrapolate({{0.4, 0.2, 0.1}}, {1.0, 1.0, 1.0}, 1.0)));
  EXPECT_TRUE(is_nothing(extrapolate({{0.4, 0.4, 0.2}, {0.4, 0.2, 0.2}}, {1.0, 2.0, 2.5}, 1.0)));
}

}  // namespace masing::test_extrapolation
