// The slab without a mass: the position found balances the force, the cells that it moves are those
// that clamping cell by cell moves, and there is none beyond saturation.

#include "slab/turning_points/equilibrium.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "slab/turning_points/cell_measure.hpp"
#include "slab/turning_points/continuous_measure.hpp"
#include "support/problem.hpp"

namespace masing::test_equilibrium {

using slab::move_to_equilibrium;

class Cells {
 public:
  Cells(const support::Problem& problem, double k0)
      : profile_(slab::sample_profile(problem, {0, problem.field_cells()})),
        u_(profile_.initial_u.begin(), profile_.initial_u.end()),
        x_(problem.oscillator.x0),
        k0_(k0) {}

  double force_at(double x) {
    double sum = 0.0;
    for (std::size_t i = 0; i < u_.size(); ++i) {
      u_[i] = std::clamp(u_[i] + (x - x_), -profile_.threshold[i], profile_.threshold[i]);
      sum += profile_.stiffness[i] * u_[i];
    }
    x_ = x;
    return k0_ * x + sum / static_cast<double>(u_.size());
  }

 private:
  slab::Profile profile_;
  std::vector<double> u_;
  double x_;
  double k0_;
};

TEST(Equilibrium, balances_any_force_as_clamped_cells_do) {
  for (const double k0 : {0.0, 0.3}) {
    const support::Problem problem = support::problem({.stiffness = "1+s",
                                                       .threshold = "0.1+s",
                                                       .oscillator = {.k0 = k0},
                                                       .space = support::space_of(50)});
    const auto measure = slab::make_cell_measure(slab::sample_profile(problem, {0, 50}));
    const double saturation = measure->total().force;
    slab::TurningPoints memory(*measure, 0.0);
    Cells cells(problem, k0);
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> share(-0.99, 0.99);
    for (int step = 0; step < 2000; ++step) {
      const double force = share(random) * (k0 > 0 ? 3 : 1) * saturation;
      ASSERT_TRUE(move_to_equilibrium(memory, k0, force, saturation));
      ASSERT_NEAR(k0 * memory.x() + memory.internal_force(), force, 1e-13) << step;
      ASSERT_NEAR(cells.force_at(memory.x()), force, 1e-11) << step;
    }
  }
}

TEST(Equilibrium, balances_any_force_from_any_initial_state) {
  for (const auto& [threshold, initial_u] :
       {std::pair("0.1+s", "(0.1+s)*sin(1e5*s)"), {"0.3", "0.6*s-0.3"}, {"0.1+s", "s-0.1"}}) {
    for (const std::int64_t cells : {60, 0}) {
      SCOPED_TRACE(std::string(initial_u) + ", P = " + std::to_string(cells));
      if (cells == 0 && std::string(initial_u).find("sin") != std::string::npos) {
        continue;  // no continuum
      }
      const auto problem = [&, eta = threshold, u0 = initial_u](std::int64_t count) {
        return support::problem({.stiffness = "1+s",
                                 .threshold = eta,
                                 .initial_u = u0,
                                 .space = support::space_of(count)});
      };
      const auto follow = [&](const std::shared_ptr<const slab::Measure>& measure) {
        const double saturation = measure->total().force;
        slab::TurningPoints memory(*measure, 0.0);
        Cells clamped(problem(cells == 0 ? 4000 : cells), 0.1);
        std::mt19937_64 random(3);
        std::uniform_real_distribution<double> share(-1, 1);
        for (int step = 0; step < 200; ++step) {
          const double force = share(random) * std::min(1.0, 0.01 * (step + 1)) * saturation;
          ASSERT_TRUE(move_to_equilibrium(memory, 0.1, force, saturation));
          ASSERT_NEAR(0.1 * memory.x() + memory.internal_force(), force, 1e-13) << step;
          // The right ends of 4000 cells differ from the continuum by δs.
          ASSERT_NEAR(clamped.force_at(memory.x()), force, cells == 0 ? 1e-3 : 1e-11) << step;
        }
      };
      if (cells == 0) {
        follow(slab::make_continuous_measure(problem(0)));
      } else {
        follow(slab::make_cell_measure(slab::sample_profile(problem(cells), {0, cells})));
      }
    }
  }
}

TEST(Equilibrium, does_not_move_where_the_force_stays) {
  const support::Problem problem = support::problem({.space = support::space_of(0)});
  const auto measure = slab::make_continuous_measure(problem);
  slab::TurningPoints memory(*measure, 0.0);
  for (const double force : {0.4, 0.1, 0.1, std::nextafter(0.1, 1.0), 0.1}) {
    ASSERT_TRUE(move_to_equilibrium(memory, 0.0, force, 0.6));
    const double x = memory.x();
    ASSERT_TRUE(move_to_equilibrium(memory, 0.0, force, 0.6));
    EXPECT_NEAR(memory.x(), x, 1e-15);
  }
}

TEST(Equilibrium, ends_at_saturation_unless_a_spring_hardens) {
  // ∫ (s + 0.1) ds = 0.6.
  const support::Problem problem = support::problem({.space = support::space_of(0)});
  const auto measure = slab::make_continuous_measure(problem);
  const double saturation = measure->total().force;
  EXPECT_NEAR(saturation, 0.6, 1e-15);
  slab::TurningPoints memory(*measure, 0.0);
  EXPECT_TRUE(move_to_equilibrium(memory, 0.0, 0.6 - 1e-6, saturation));
  EXPECT_NEAR(memory.x(), 1.1 - std::sqrt(2e-6), 1e-9);  // the backbone, 0.6 - (1.1 - x)²/2
  const double before = memory.x();
  EXPECT_FALSE(move_to_equilibrium(memory, 0.0, saturation, saturation));
  EXPECT_FALSE(move_to_equilibrium(memory, 0.0, -0.7, saturation));
  EXPECT_EQ(memory.x(), before);
  EXPECT_TRUE(move_to_equilibrium(memory, 0.5, 1.6, saturation));
  EXPECT_NEAR(memory.x(), 2.0, 1e-14);
}

}  // namespace masing::test_equilibrium
