// The velocities of a chain with dry friction: the optimality conditions prove the minimum of a
// strictly convex function.

#include "rheology/total_variation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace masing::test_total_variation {

using Vector = std::vector<double>;
constexpr double eps = std::numeric_limits<double>::epsilon();

struct Case {
  Vector mass;
  Vector bound;
  Vector target;

  /// Velocities and impulses.
  [[nodiscard]] std::pair<Vector, Vector> solved() const {
    Vector y = target;
    rheology::TotalVariation minimiser(target.size());
    const auto g = minimiser.solve(mass, bound, y);
    return {y, Vector(g.begin(), g.end())};
  }
  /// What rounding may leave of a balance of impulses.
  [[nodiscard]] double rounding() const {
    double size = 0.0;
    for (std::size_t i = 0; i < target.size(); ++i) {
      size = std::max(size, std::abs(target[i]));
    }
    return 8 * eps * size * std::accumulate(mass.begin(), mass.end(), 0.0) *
           std::sqrt(static_cast<double>(target.size()));
  }
};

/// The optimality conditions; sufficient, as the cost is convex.
void expect_optimal(const Case& data) {
  const auto [y, g] = data.solved();
  const double rounding = data.rounding();
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
    ASSERT_NO_FATAL_FAILURE(expect_optimal(generic(n, 0.01, random)));
    ASSERT_NO_FATAL_FAILURE(expect_optimal(generic(n, 1.0, random)));
    ASSERT_NO_FATAL_FAILURE(expect_optimal(generic(n, 30.0, random)));
    ASSERT_NO_FATAL_FAILURE(expect_optimal(degenerate(n, random)));
  }
}

TEST(TotalVariation, meets_them_in_long_chains) {
  std::mt19937_64 random(2);
  for (const double friction : {0.1, 10.0, 1000.0}) {
    ASSERT_NO_FATAL_FAILURE(expect_optimal(generic(100'000, friction, random)));
  }
}

}  // namespace masing::test_total_variation
