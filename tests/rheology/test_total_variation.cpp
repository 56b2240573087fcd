// The velocities of a chain with dry friction: the optimality conditions prove the minimum of a
// strictly convex function.

#include "rheology/total_variation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace masing::test_total_variation {

using Vector = std::vector<double>;
constexpr double eps = std::numeric_limits<double>::epsilon();

struct Case {
  Vector mass;
  Vector bound;
  Vector target;
};

/// The optimality conditions, up to what rounding leaves of a balance of impulses; sufficient, as
/// the cost is convex.
void expect_optimal(const Case& data) {
  Vector y = data.target;
  rheology::TotalVariation minimiser(y.size());
  const auto g = minimiser.solve(data.mass, data.bound, y);
  double size = 0.0;
  for (const double target : data.target) {
    size = std::max(size, std::abs(target));
  }
  const double rounding = 8 * eps * size * std::sqrt(static_cast<double>(y.size())) *
                          std::accumulate(data.mass.begin(), data.mass.end(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double after = i + 1 < y.size() ? g[i + 1] : 0.0;
    const double slip = y[i] - (i == 0 ? 0.0 : y[i - 1]);
    ASSERT_NEAR(data.mass[i] * (y[i] - data.target[i]) + g[i] - after, 0.0, rounding) << i;
    ASSERT_LE(std::abs(g[i]), data.bound[i]) << i;
    if (slip != 0) {
      ASSERT_EQ(g[i], std::copysign(data.bound[i], slip)) << i;
    }
  }
}

/// Targets in steps of 1/4, so that many coincide; every fifth bound is 0, every seventh huge.
Case degenerate(std::size_t n, std::mt19937_64& random) {
  Case data;
  for (std::size_t i = 0; i < n; ++i) {
    data.mass.push_back(static_cast<double>(1 + random() % 3));
    data.target.push_back(0.25 * (static_cast<double>(random() % 17) - 8));
    const auto kind = random() % 35;
    data.bound.push_back(kind % 5 == 0   ? 0.0
                         : kind % 7 == 0 ? 1e15
                                         : 0.25 * static_cast<double>(kind));
  }
  return data;
}

Case generic(std::size_t n, double friction, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::lognormal_distribution<double> positive;
  Case data;
  for (std::size_t i = 0; i < n; ++i) {
    data.mass.push_back(positive(random));
    data.target.push_back(normal(random));
    data.bound.push_back(friction * positive(random));
  }
  return data;
}

TEST(TotalVariation, meets_the_optimality_conditions) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 40;
    SCOPED_TRACE(round);
    for (const double friction : {0.01, 1.0, 30.0}) {
      ASSERT_NO_FATAL_FAILURE(expect_optimal(generic(n, friction, random)));
    }
    ASSERT_NO_FATAL_FAILURE(expect_optimal(degenerate(n, random)));
  }
  for (const double friction : {0.1, 10.0, 1000.0}) {
    ASSERT_NO_FATAL_FAILURE(expect_optimal(generic(100'000, friction, random)));
  }
}

}  // namespace masing::test_total_variation
