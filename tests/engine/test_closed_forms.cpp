// Scheme (26) of continuous-masing-2001 against closed forms and a path computed by hand.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "support/problem.hpp"
#include "support/trajectory.hpp"
#include "support/world.hpp"

namespace masing::test_closed_forms {

using support::Trajectory;
using Numbers = std::vector<double>;

constexpr double eps = std::numeric_limits<double>::epsilon();

Trajectory run(const support::Data& data, const std::vector<std::int64_t>& field_steps = {}) {
  return support::trajectory(support::world(), support::problem(data), field_steps);
}

/// P = 1, k = 2, η = ½, u0 = -¼, m = ½, k0 = ½, x0 = ½, y0 = 1, δt = ½, F = 2 then -4. Every number
/// of
///     x⁺ = x + y/2,  y⁺ = y + F - (x/2 + 2u),  u⁺ = clamp(u + y/2, -½, ½)
/// is dyadic, so the program must give these very numbers.
TEST(OneCell, follows_a_path_computed_by_hand) {
  const Trajectory path = run({.stiffness = "2",
                               .threshold = "0.5",
                               .initial_u = "-0.25",
                               .force = "t < 1 ? 2 : -4",
                               .oscillator = {.mass = 0.5, .k0 = 0.5, .x0 = 0.5, .y0 = 1.0},
                               .final_time = 2.5,
                               .steps = 5,
                               .space = support::space_of(1)},
                              {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(path.x, (Numbers{0.5, 1.0, 2.625, 4.75, 3.71875, -1.0}));
  EXPECT_EQ(path.y, (Numbers{1.0, 3.25, 4.25, -2.0625, -9.4375, -14.296875}));
  EXPECT_EQ(path.force, (Numbers{2.0, 2.0, -4.0, -4.0, -4.0, -4.0}));
  EXPECT_EQ(path.restoring, (Numbers{-0.25, 1.0, 2.3125, 3.375, 0.859375, -1.5}));
  const Numbers u{-0.25, 0.25, 0.5, 0.5, -0.5, -0.5};
  ASSERT_EQ(path.fields.size(), u.size());
  for (std::size_t p = 0; p < u.size(); ++p) {
    EXPECT_EQ(path.fields[p].u, support::world().is_root() ? Numbers{u[p]} : Numbers{});
  }
}

/// While nothing yields, y + iωx is multiplied by (1 + iδtω) at each step, ω² = (k0 + ∫k)/m.
TEST(ElasticPhase, is_a_power_to_rounding) {
  constexpr double mass = 2.0;
  constexpr double k0 = 0.7;
  constexpr double stiffness = 1.5;  // 2 - s by the midpoint rule, exactly its integral
  constexpr std::int64_t steps = 2000;
  const Trajectory path = run({.stiffness = "2-s",
                               .threshold = "100",
                               .initial_u = "0.3",
                               .oscillator = {.mass = mass, .k0 = k0, .x0 = 0.3, .y0 = 0.5},
                               .final_time = 10.0,
                               .steps = steps,
                               .space = support::space_of(2500),
                               .rule = slab::Rule::midpoint});
  using Complex = std::complex<long double>;
  const long double omega = std::sqrt((static_cast<long double>(k0) + stiffness) / mass);
  const long double dt = 10.0L / steps;
  Complex state(0.5L, omega * 0.3L);
  // Largest |x|, |y| bound by the growth (1 + δt²ω²)^(N/2) of the first; u, x and y each collect
  // N roundings of eps; S has 69 roundings and that of 3 blocks to units of 2⁻⁶² · 256; errors of
  // S act on y through T/m, on x through T again.
  const double size = 1.5 * std::exp(0.5 * 10.0 * 10.0 / steps * 1.1);
  const double of_force = 3 * stiffness * (steps + 69) * eps * size + 3 * 0x1p-54;
  const double tolerance = 4 * steps * eps * size + of_force * 10.0 / mass * 10.0;
  for (std::size_t p = 0; p < path.x.size(); ++p) {
    const auto y = static_cast<double>(state.real());
    const auto x = static_cast<double>(state.imag() / omega);
    ASSERT_NEAR(path.x[p], x, tolerance) << p;
    ASSERT_NEAR(path.y[p], y, tolerance) << p;
    ASSERT_NEAR(path.restoring[p], (k0 + stiffness) * x, 3 * tolerance) << p;
    state *= Complex(1.0L, dt * omega);
  }
  // Explicit Euler gains energy: a scheme of another kind would not.
  EXPECT_GT(std::hypot(path.y.back(), static_cast<double>(omega) * path.x.back()),
            std::hypot(0.5, static_cast<double>(omega) * 0.3) * 1.01);
}

}  // namespace masing::test_closed_forms
