// Dry friction on one mass and between two: what slips moves towards rest by the bound, what sticks
// ends at rest, and nothing else happens to the momentum.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "rheology/friction.hpp"

namespace masing::test_friction {

using rheology::friction_impulse;
using rheology::soft_threshold;

constexpr double eps = std::numeric_limits<double>::epsilon();

TEST(SoftThreshold, moves_towards_zero_by_the_bound_and_stops_there) {
  EXPECT_EQ(soft_threshold(3.0, 1.0), 2.0);
  EXPECT_EQ(soft_threshold(-3.0, 1.0), -2.0);
  for (const double y : {1.0, -1.0, 0.5, 0.0, -0.25}) {
    EXPECT_EQ(soft_threshold(y, 1.0), 0.0) << y;
  }
  EXPECT_EQ(soft_threshold(0.3, 0.0), 0.3);
  EXPECT_EQ(soft_threshold(1e300, std::numeric_limits<double>::infinity()), 0.0);
}

TEST(FrictionImpulse, keeps_the_momentum_and_opposes_the_slip) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::lognormal_distribution<double> mass(0.0, 2.0);
  int stuck = 0;
  for (int i = 0; i < 1000; ++i) {
    const double m1 = mass(random);
    const double m2 = mass(random);
    const double y1 = normal(random);
    const double y2 = normal(random);
    const double bound = 0.5 * mass(random);
    const auto after = friction_impulse(m1, m2, y1, y2, bound);
    const double size = (m1 + m2) * (std::abs(y1) + std::abs(y2));
    EXPECT_NEAR(m1 * after.first_velocity + m2 * after.second_velocity, m1 * y1 + m2 * y2,
                8 * eps * size);
    EXPECT_NEAR(m1 * (after.first_velocity - y1), after.impulse, 8 * eps * size);
    const double slip = after.second_velocity - after.first_velocity;
    if (slip == 0) {
      ++stuck;
      EXPECT_LE(std::abs(after.impulse), bound);
    } else {
      EXPECT_EQ(after.impulse, std::copysign(bound, slip));
    }
  }
  EXPECT_GT(stuck, 200);
  EXPECT_LT(stuck, 800);
}

TEST(FrictionImpulse, on_an_immovable_mass_is_a_soft_threshold) {
  for (const double y : {2.0, 0.1, -0.7}) {
    const auto after = friction_impulse(1e300, 2.0, 0.0, y, 0.5);
    EXPECT_NEAR(after.second_velocity, soft_threshold(y, 0.25), eps);
  }
}

}  // namespace masing::test_friction
