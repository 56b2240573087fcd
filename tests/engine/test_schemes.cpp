// The two schemes on slabs of one cell and on elastic ones: numbers computed by hand, exact
// discrete relations, and the turning point inside a step. That the hysteresis memory is the scheme
// cell by cell on any slab is shown by tests/commands/test_engines.py, the orders by
// tests/study/test_orders.cpp.

#include "slab/scheme.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "support/problem.hpp"
#include "support/trajectory.hpp"
#include "support/world.hpp"

namespace masing::test_schemes {

using engine::Method;
using slab::Scheme;
using Numbers = std::vector<double>;

constexpr double eps = std::numeric_limits<double>::epsilon();

support::Trajectory run(Method kind, Scheme scheme, const support::Data& data,
                        const std::vector<std::int64_t>& field_steps = {}) {
  support::Problem problem = support::problem(data);
  problem.scheme = scheme;
  return support::trajectory(support::alone(), problem, kind, field_steps);
}

/// A path of one cell computed by hand. Every number is dyadic, so that the sweep and turning
/// points must give these very numbers.
struct HandPath {
  Scheme scheme;
  support::Data data;
  Numbers x;
  Numbers y;
  Numbers restoring;
  Numbers u;
};

void expect_path(const HandPath& wanted) {
  std::vector<std::int64_t> every;
  for (std::size_t p = 0; p < wanted.u.size(); ++p) {
    every.push_back(static_cast<std::int64_t>(p));
  }
  for (const auto kind : {Method::sweep, Method::turning_points}) {
    const auto path = run(kind, wanted.scheme, wanted.data, every);
    EXPECT_EQ(path.x, wanted.x);
    EXPECT_EQ(path.y, wanted.y);
    EXPECT_EQ(path.restoring, wanted.restoring);
    ASSERT_EQ(path.fields.size(), wanted.u.size());
    for (std::size_t p = 0; p < wanted.u.size(); ++p) {
      EXPECT_EQ(path.fields[p], Numbers{wanted.u[p]}) << p;
    }
  }
}

/// P = 1, k = 2, η = ½, u0 = -¼, m = ½, k0 = ½, x0 = ½, y0 = 1, δt = ½, F = 2 then -4:
///     x⁺ = x + y/2,  y⁺ = y + F - (x/2 + 2u),  u⁺ = clamp(u + y/2, -½, ½).
TEST(Euler, FollowsAPathComputedByHand) {
  expect_path({.scheme = Scheme::euler,
               .data = {.stiffness = "2",
                        .threshold = "0.5",
                        .initial_u = "-0.25",
                        .force = "t < 1 ? 2 : -4",
                        .oscillator = {.mass = 0.5, .k0 = 0.5, .x0 = 0.5, .y0 = 1.0},
                        .final_time = 2.5,
                        .steps = 5,
                        .space = support::space_of(1)},
               .x = {0.5, 1.0, 2.625, 4.75, 3.71875, -1.0},
               .y = {1.0, 3.25, 4.25, -2.0625, -9.4375, -14.296875},
               .restoring = {-0.25, 1.0, 2.3125, 3.375, 0.859375, -1.5},
               .u = {-0.25, 0.25, 0.5, 0.5, -0.5, -0.5}});
}

/// m = k = 1, k0 = 0, η = 3/16, from rest at 0 with y = 1, δt = 1, F = -2, -2, 29/16, 29/16:
///     a = -2       y > 0 turns at t = ½ and x = ¼: u goes to 3/16, then down by ¼: -1/16;
///     a = -31/16   d = -31/16 without turning: u = -3/16;
///     a = 2        y = -15/16 turns at 15/32, x lower by 225/1024: u stays, then goes up by
///                  1/16 + 225/1024 to 97/1024.
TEST(Leapfrog, FollowsAPathComputedByHand) {
  expect_path({.scheme = Scheme::leapfrog,
               .data = {.threshold = "0.1875",
                        .force = "t < 1.5 ? -2 : 1.8125",
                        .oscillator = {.y0 = 1.0},
                        .final_time = 3.0,
                        .steps = 3,
                        .space = support::space_of(1)},
               .x = {0.0, 0.0, -31.0 / 16, -30.0 / 16},
               .y = {1.0, -31.0 / 32, -15.0 / 16, 1887.0 / 2048},
               .restoring = {0.0, -1.0 / 16, -3.0 / 16, 97.0 / 1024},
               .u = {0.0, -1.0 / 16, -3.0 / 16, 97.0 / 1024}});
}

/// An elastic slab: k = 2 - s by the midpoint rule, exactly its integral 3/2.
support::Data elastic(std::int64_t cells, double final_time) {
  return {.stiffness = "2-s",
          .threshold = "100",
          .initial_u = "0.3",
          .oscillator = {.mass = 2.0, .k0 = 0.7, .x0 = 0.3, .y0 = 0.5},
          .final_time = final_time,
          .steps = 2000,
          .space = support::space_of(cells),
          .rule = slab::Rule::midpoint};
}

/// While nothing yields, y + iωx is multiplied by (1 + iδtω) at each step, ω² = (k0 + ∫k)/m.
TEST(Euler, OfAnElasticOscillatorIsAPowerToRounding) {
  const support::Data data = elastic(2500, 10.0);
  const double mass = data.oscillator.mass;
  const double whole = data.oscillator.k0 + 1.5;
  const auto steps = static_cast<double>(data.steps);
  const long double omega = std::sqrt(static_cast<long double>(whole) / mass);
  // Largest |x|, |y| bound by the growth (1 + δt²ω²)^(N/2) of the first; u, x and y each collect
  // N roundings of eps; S has 69 roundings and that of 3 blocks to units of 2⁻⁶² · 256; errors of
  // S act on y through T/m, on x through T again.
  const double size = 1.5 * std::exp(0.5 * 10.0 * 10.0 / steps * 1.1);
  const double of_force = 3 * 1.5 * (steps + 69) * eps * size + 3 * 0x1p-54;
  const double tolerance = 4 * steps * eps * size + of_force * 10.0 / mass * 10.0;
  for (const auto kind : {Method::sweep, Method::turning_points}) {
    const auto path = run(kind, Scheme::euler, data);
    std::complex<long double> state(0.5L, omega * 0.3L);
    for (std::size_t p = 0; p < path.x.size(); ++p) {
      const auto x = static_cast<double>(state.imag() / omega);
      ASSERT_NEAR(path.x[p], x, tolerance) << p;
      ASSERT_NEAR(path.y[p], static_cast<double>(state.real()), tolerance) << p;
      ASSERT_NEAR(path.restoring[p], whole * x, 3 * tolerance) << p;
      state *= std::complex<long double>(1.0L, 10.0L / data.steps * omega);
    }
    // Explicit Euler gains energy: a scheme of another kind would not.
    EXPECT_GT(std::hypot(path.y.back(), static_cast<double>(omega) * path.x.back()),
              std::hypot(0.5, static_cast<double>(omega) * 0.3) * 1.01);
  }
}

/// While nothing yields, x_p = x0 cos pθ + y0/(ω√(1-c²)) sin pθ with c = ωδt/2, sin θ/2 = c, and
/// y² + (1 - c²) ω² x² is kept: velocity Verlet gains no energy.
TEST(Leapfrog, OfAnElasticOscillatorHasItsExactPhaseAndEnergy) {
  const support::Data data = elastic(100, 200.0);
  const auto& [mass, damping, preload, k0, x0, y0] = data.oscillator;
  const long double dt = 200.0L / data.steps;
  const long double omega = std::sqrt((static_cast<long double>(k0) + 1.5L) / mass);
  const long double c = omega * dt / 2;
  const long double theta = 2 * std::asin(c);
  const long double speed = omega * std::sqrt(1 - c * c);
  const long double energy = y0 * y0 + speed * speed * x0 * x0;
  // Roundings of size eps a step, each carried on as an oscillation: N of them in x and y, and
  // those of S (69 of a block of cells, and N of u) through 1/ω² each; |x|, |y| stay below 1.
  const double tolerance = 4 * static_cast<double>(data.steps) * eps * 3;
  for (const auto kind : {Method::sweep, Method::turning_points}) {
    const auto path = run(kind, Scheme::leapfrog, data);
    for (std::size_t p = 0; p < path.x.size(); ++p) {
      const long double phase = static_cast<long double>(p) * theta;
      const auto x = static_cast<double>(x0 * std::cos(phase) + y0 / speed * std::sin(phase));
      const auto y = static_cast<double>(y0 * std::cos(phase) - x0 * speed * std::sin(phase));
      ASSERT_NEAR(path.x[p], x, tolerance) << p;
      ASSERT_NEAR(path.y[p], y, tolerance) << p;
      ASSERT_NEAR(path.y[p] * path.y[p] + static_cast<double>(speed * speed) * x * x,
                  static_cast<double>(energy), 4 * tolerance)
          << p;
    }
  }
}

/// A pass over the slab makes two steps of Euler's scheme: half a pass would cost a whole one.
TEST(Schemes, AdvanceByWholePassesHoweverLongAStepTakes) {
  engine::Pace pace;
  pace.record(16, 1000.0);
  EXPECT_EQ(pace.steps(), 2);
  pace.record(2, 0.0);
  EXPECT_EQ(pace.steps(), 8);
  pace.record(7, 0.0999999);  // 7.00001 steps in 0.1 s
  EXPECT_EQ(pace.steps(), 6);
  pace.record(4096, 0.0);
  EXPECT_EQ(pace.steps(), 4096);
}

/// By hand, with δt = 1 and k0 = 1e200: x = 1, 1, -1e200, -3e200, ∞ and y = 0, -1e200, -2e200, ∞.
TEST(Stepper, names_the_first_step_that_is_not_finite) {
  const engine::RunSpec run =
      support::run_of(support::problem({.oscillator = {.mass = 1.0, .k0 = 1e200, .x0 = 1.0},
                                        .final_time = 6.0,
                                        .steps = 6,
                                        .space = support::space_of(1)}));
  const parallel::Communicator alone = support::alone();
  for (const auto& [count, text] :
       {std::pair(3, "y = inf at step 3 (t = 3)"), {6, "x = inf at step 4 (t = 4)"}}) {
    const engine::Setup setup = engine::make_setup(alone, run);
    engine::Stepper stepper(alone, *setup.engine, run);
    stepper.start();
    stepper.share(0, 2, 2);
    EXPECT_NO_THROW(stepper.advance(0));
    stepper.share(2, count - 2, count - 2);
    try {
      stepper.advance(2);
      ADD_FAILURE() << text;
    } catch (const base::UserError& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }
}

}  // namespace masing::test_schemes
