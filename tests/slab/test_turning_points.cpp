// The slab by its turning points: what it says of a way ahead against what it finds there; without
// a mass, the balance of a force. Forces and energies against clamping every spring are a matter of
// library/test_material.cpp.
#include "slab/turning_points/turning_points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"
#include "support/slab_cells.hpp"

namespace masing::test_turning_points {

using slab::TurningPoints;

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
