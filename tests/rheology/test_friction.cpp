// Dry friction on one mass and between two: what slips moves towards rest by the bound, what sticks
// ends at rest, and nothing else happens to the momentum.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "rheology/dry_friction.hpp"
#include "rheology/s1_p2_series.hpp"

namespace {

using rheology::dry_friction;

constexpr double eps = std::numeric_limits<double>::epsilon();

TEST(DryFriction, MovesTowardsRestByTheBoundAndStopsThere) {
  // Mass 2, bound 4, step 1/2: velocities change by 1 at most.
  EXPECT_EQ(dry_friction(3.0, 2.0, 4.0, 0.5).velocity, 2.0);
  EXPECT_EQ(dry_friction(-3.0, 2.0, 4.0, 0.5).velocity, -2.0);
  EXPECT_EQ(dry_friction(-3.0, 2.0, 4.0, 0.5).force, -4.0);
  for (const double y : {1.0, -1.0, 0.5, 0.0, -0.25}) {
    const auto stopped = dry_friction(y, 2.0, 4.0, 0.5);
    EXPECT_EQ(stopped.velocity, 0.0) << y;
    EXPECT_EQ(stopped.force, 4.0 * y) << y;
  }
  EXPECT_EQ(dry_friction(0.3, 2.0, 0.0, 0.5).velocity, 0.3);
  EXPECT_EQ(dry_friction(1e300, 1.0, std::numeric_limits<double>::infinity(), 1.0).velocity, 0.0);
}

/// The model of two masses with nothing but the friction between them.
rheology::S1P2Series masses(double m1, double m2, double bound) {
  const rheology::ModelInfo info = rheology::S1P2Series::info();
  rheology::S1P2Series model(rheology::Values(
      info.name, rheology::all_parameters(info),
      {{"k1", "1", ""}, {"alpha1", "1", ""}, {"k2", "0", ""}, {"alpha2", "1", ""}}));
  model.m1 = m1;
  model.m2 = m2;
  model.bound = bound;
  return model;
}

TEST(FrictionBetweenMasses, KeepsTheMomentumAndOpposesTheSlip) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::lognormal_distribution<double> positive(0.0, 2.0);
  int stuck = 0;
  for (int i = 0; i < 1000; ++i) {
    const double m1 = positive(random);
    const double m2 = positive(random);
    const double bound = 5 * positive(random);
    const std::array<double, 5> before{0.0, normal(random), 0.0, normal(random), 0.0};
    std::array<double, 5> after = before;
    const rheology::Instant now{.step = 0.1};
    const double force = masses(m1, m2, bound).resolve(now, after);
    const double size = (m1 + m2) * (std::abs(before[1]) + std::abs(before[3]));
    EXPECT_NEAR(m1 * after[1] + m2 * after[3], m1 * before[1] + m2 * before[3], 8 * eps * size);
    EXPECT_NEAR(m1 * (after[1] - before[1]), now.step * force, 8 * eps * size);
    const double slip = after[3] - after[1];
    if (slip == 0) {
      ++stuck;
      EXPECT_LE(std::abs(force), bound);
    } else {
      EXPECT_EQ(force, std::copysign(bound, slip));
    }
  }
  EXPECT_GT(stuck, 200);
  EXPECT_LT(stuck, 800);
}

}  // namespace
