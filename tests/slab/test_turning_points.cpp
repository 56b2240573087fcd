// The slab by its turning points against clamping every cell, and against closed forms; without a
// mass, where it balances a force.
#include "slab/turning_points/turning_points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"
#include "support/slab_cells.hpp"

namespace masing::test_turning_points {

using slab::Profile;
using slab::TurningPoints;

/// A random admissible profile: k, η Lipschitz in s, η monotone or not, sometimes constant or with
/// ties; u0 0, a function of η, noise of its own in every cell, one of ±η, or in steps of 1/8.
Profile random_profile(std::mt19937_64& random) {
  const auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  const int cells = static_cast<int>(uniform(1, 60));
  const int shape = static_cast<int>(uniform(0, 5));
  const int start = static_cast<int>(uniform(0, 9));
  const double a = uniform(0.05, 0.5);
  const double b = uniform(0.1, 2.0);
  const double c = uniform(0, 7);
  const double slope = uniform(-1, 1);
  Profile profile = support::papers_cells(cells);
  for (int i = 0; i < cells; ++i) {
    const double s = (i + 1.0) / cells;
    double& eta = profile.threshold[i];
    eta = shape == 0   ? a + b * s
          : shape == 1 ? a + b * (1 - s)
          : shape == 2 ? a + b * (1 + std::sin(c + 9 * s)) / 2
          : shape == 3 ? std::max(a, a - b / 2 + b * s)
                       : std::round(8 * (a + b * s)) / 8 + 0.125;
    profile.stiffness[i] = 1 + 0.5 * std::sin(c - 5 * s) + (shape == 1 ? s : 0);
    profile.initial_u[i] = start == 0   ? 0.0
                           : start == 1 ? slope * eta
                           : start == 2 ? eta * (slope < 0 ? -1 : 1)
                           : start == 3 ? std::min(eta, a) * slope
                           : start == 4 ? std::sin(eta) * slope
                           : start == 5 ? uniform(-eta, eta)
                           : start == 6 ? (uniform(-1, 1) < slope ? eta : -eta)
                           : start == 7 ? std::round(8 * uniform(-eta, eta)) / 8
                                        : slope * eta * std::sin(30 * s);
    profile.initial_u[i] = std::clamp(profile.initial_u[i], -eta, eta);
  }
  return profile;
}

double tolerance(double largest) {
  return 1e-11 * std::max(1.0, largest);
}

/// At every step they also go on with the same bits from their saved state.
TEST(TurningPoints, AgreeWithClampingEveryCellOnRandomProfilesAndIncrements) {
  for (unsigned seed = 1; seed <= 900; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const Profile profile = random_profile(random);
    const auto measure = make_cell_measure(profile);
    std::normal_distribution<double> normal;
    const double x0 = seed % 3 == 0 ? normal(random) : 0.0;
    const double size = std::exp(normal(random) - 1.5);
    const auto fresh = make_cell_measure(profile);
    TurningPoints memory(*measure, x0);
    auto cells = support::clamped(profile, x0);
    ASSERT_NEAR(memory.internal_force(), cells.force(), 1e-12);
    double x = x0;
    std::vector<double> visited{x0};
    for (int step = 0; step < 400; ++step) {
      // Sometimes stay, sometimes return to exactly a place of before.
      const double choice = std::uniform_real_distribution<double>(0, 1)(random);
      if (choice > 0.9) {
        x = visited[static_cast<std::size_t>(choice * 1e6) % visited.size()];
      } else if (choice > 0.8) {
        x = std::round(8 * (x + size * normal(random))) / 8;  // where thresholds and u0 tie
      } else if (choice > 0.05) {
        x += size * normal(random);
      }
      visited.push_back(x);
      TurningPoints restored(step % 2 == 0 ? *measure : *fresh, memory.state());
      ASSERT_EQ(restored.internal_force(), memory.internal_force());
      ASSERT_EQ(restored.direction(), memory.direction());
      ASSERT_EQ(restored.corner(-1), memory.corner(-1));
      ASSERT_EQ(restored.corner(1), memory.corner(1));
      cells.move_to(x);
      const double force = memory.move_to(x);
      ASSERT_EQ(restored.move_to(x), force);
      ASSERT_NEAR(force, cells.force(), tolerance(std::abs(x))) << "step " << step;
      ASSERT_EQ(force, memory.internal_force());
      ASSERT_EQ(memory.x(), x);
      double energy = 0.0;  // ½ δs Σ k u²
      for (std::size_t i = 0; i < profile.threshold.size(); ++i) {
        energy += profile.stiffness[i] * cells.elongation(i) * cells.elongation(i) / 2;
      }
      if (measure->begins_at_zero()) {
        ASSERT_NEAR(memory.elastic_energy(), energy / static_cast<double>(profile.threshold.size()),
                    tolerance(std::abs(x)))
            << "step " << step;
      }
      for (std::size_t i = 0; i < profile.threshold.size(); i += 3) {
        ASSERT_NEAR(memory.elongation()(profile.element(i)), cells.elongation(i),
                    tolerance(std::abs(x)))
            << "step " << step << " cell " << i;
      }
    }
  }
}

TEST(TurningPoints, GiveTheForceAndTheStiffnessAheadOnTheOuterCurveWithoutMoving) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const Profile profile = random_profile(random);
    const auto measure = make_cell_measure(profile);
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
          const double slope = (moved.force_at(next) - moved.force_at(x)) / (next - x);
          ASSERT_NEAR(moved.stiffness_at(x + (next - x) / 2), slope,
                      1e-14 * (1 + std::abs(x)) / std::abs(next - x) + 1e-12);
        }
      }
    }
  }
}

TEST(TurningPoints, FindEveryCellTheFrontWillReach) {
  const Profile profile = support::papers_cells(10);
  const auto measure = make_cell_measure(profile);
  TurningPoints memory(*measure, 0.0);
  for (int i = 0; i < 10; ++i) {
    const double next = memory.next_break();
    EXPECT_DOUBLE_EQ(next, profile.threshold[i]);
    const double slope = memory.stiffness_at((memory.x() + next) / 2);
    EXPECT_NEAR(slope, 1 - i / 10.0, 1e-15);
    memory.move_to(next);
  }
  EXPECT_EQ(memory.next_break(), std::numeric_limits<double>::infinity());
  memory.move_to(1.0);
  EXPECT_DOUBLE_EQ(memory.next_break(), 1.1 - 2 * 0.2);
}

TEST(Equilibrium, balances_any_force_as_clamped_cells_do) {
  struct Case {
    const char* threshold;
    const char* initial_u;
    double k0;
    std::int64_t cells;  // 0: P = ∞
  };
  for (const auto& [threshold, initial_u, k0, count] : {Case{"0.1+s", "0", 0.0, 50},
                                                        {"0.1+s", "0", 0.3, 50},
                                                        {"0.1+s", "(0.1+s)*sin(1e5*s)", 0.1, 60},
                                                        {"0.3", "0.6*s-0.3", 0.1, 60},
                                                        {"0.3", "0.6*s-0.3", 0.1, 0},
                                                        {"0.1+s", "s-0.1", 0.1, 60},
                                                        {"0.1+s", "s-0.1", 0.1, 0}}) {
    SCOPED_TRACE(std::string(initial_u) + ", P = " + std::to_string(count));
    const std::int64_t many = count == 0 ? 4000 : count;
    const auto problem = support::problem({.stiffness = "1+s",
                                           .threshold = threshold,
                                           .initial_u = initial_u,
                                           .space = support::space_of(many)});
    const Profile profile = slab::sample_profile(problem, {0, many});
    const auto measure =
        count == 0 ? slab::make_continuous_measure(problem) : slab::make_cell_measure(profile);
    const double saturation = measure->total().force;
    TurningPoints memory(*measure, 0.0);
    auto cells = support::clamped(profile);
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> share(-0.99, 0.99);
    for (int step = 0; step < 400; ++step) {
      const double force = share(random) * std::min(1.0, 0.01 * (step + 1)) * saturation;
      ASSERT_TRUE(slab::move_to_equilibrium(memory, k0, force, saturation));
      ASSERT_NEAR(k0 * memory.x() + memory.internal_force(), force, 1e-13) << step;
      cells.move_to(memory.x());
      // The right ends of 4000 cells differ from the continuum by δs.
      ASSERT_NEAR(k0 * memory.x() + cells.force(), force, count == 0 ? 1e-3 : 1e-11) << step;
      const double x = memory.x();
      ASSERT_TRUE(slab::move_to_equilibrium(memory, k0, force, saturation));
      ASSERT_NEAR(memory.x(), x, 1e-12) << step;
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
