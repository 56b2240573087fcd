// The two schemes on slabs of one cell and on elastic ones: numbers computed by hand, exact
// discrete relations, and the turning point inside a step.

#include "slab/scheme.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/setup.hpp"
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
  const bool is_split = kind != Method::exact && !problem.is_continuum();
  const parallel::Communicator comm(is_split ? support::world().handle() : MPI_COMM_SELF);
  const slab::Profile profile = engine::checked_profile(comm, problem);
  const auto engine = engine::make_engine(comm, support::run_of(problem, kind), profile);
  return support::trajectory(comm, *engine, problem, field_steps);
}

/// m = k = 1, k0 = 0, η = 3/16, from rest at 0 with y = 1, δt = 1, F = -2, -2, 29/16, 29/16:
///     a = -2       y > 0 turns at t = ½ and x = ¼: u goes to 3/16, then down by ¼: -1/16;
///     a = -31/16   d = -31/16 without turning: u = -3/16;
///     a = 2        y = -15/16 turns at 15/32, x lower by 225/1024: u stays, then goes up by
///                  1/16 + 225/1024 to 97/1024.
/// Every number is dyadic, so both engines must give these very numbers.
TEST(Leapfrog, FollowsAPathComputedByHand) {
  for (const auto kind : {Method::sweep, Method::turning_points}) {
    const auto path = run(kind, Scheme::leapfrog,
                          {.threshold = "0.1875",
                           .force = "t < 1.5 ? -2 : 1.8125",
                           .oscillator = {.y0 = 1.0},
                           .final_time = 3.0,
                           .steps = 3,
                           .space = support::space_of(1)},
                          {0, 1, 2, 3});
    EXPECT_EQ(path.x, (Numbers{0.0, 0.0, -31.0 / 16, -30.0 / 16}));
    EXPECT_EQ(path.y, (Numbers{1.0, -31.0 / 32, -15.0 / 16, 1887.0 / 2048}));
    EXPECT_EQ(path.restoring, (Numbers{0.0, -1.0 / 16, -3.0 / 16, 97.0 / 1024}));
    const Numbers u{0.0, -1.0 / 16, -3.0 / 16, 97.0 / 1024};
    ASSERT_EQ(path.fields.size(), u.size());
    for (std::size_t p = 0; p < u.size(); ++p) {
      EXPECT_EQ(path.fields[p].u, support::world().is_root() ? Numbers{u[p]} : Numbers{}) << p;
    }
  }
}

/// While nothing yields, x_p = x0 cos pθ + y0/(ω√(1-c²)) sin pθ with c = ωδt/2, sin θ/2 = c, and
/// y² + (1 - c²) ω² x² is kept: velocity Verlet gains no energy.
TEST(Leapfrog, OfAnElasticOscillatorHasItsExactPhaseAndEnergy) {
  constexpr double mass = 2.0;
  constexpr double k0 = 0.7;
  constexpr double stiffness = 1.5;  // 2 - s by the midpoint rule, exactly its integral
  constexpr double x0 = 0.3;
  constexpr double y0 = 0.5;
  constexpr std::int64_t steps = 2000;
  constexpr double final_time = 200.0;
  const long double dt = static_cast<long double>(final_time) / steps;
  const long double omega = std::sqrt((static_cast<long double>(k0) + stiffness) / mass);
  const long double c = omega * dt / 2;
  const long double theta = 2 * std::asin(c);
  const long double speed = omega * std::sqrt(1 - c * c);
  const long double energy = y0 * y0 + speed * speed * x0 * x0;
  // Roundings of size eps a step, each carried on as an oscillation: N of them in x and y, and
  // those of S (69 of a block of cells, and N of u) through 1/ω² each; |x|, |y| stay below 1.
  constexpr double tolerance = 4 * steps * eps * 3;
  for (const auto kind : {Method::sweep, Method::turning_points}) {
    const auto path = run(kind, Scheme::leapfrog,
                          {.stiffness = "2-s",
                           .threshold = "100",
                           .initial_u = "0.3",
                           .oscillator = {.mass = mass, .k0 = k0, .x0 = x0, .y0 = y0},
                           .final_time = final_time,
                           .steps = steps,
                           .space = support::space_of(100),
                           .rule = slab::Rule::midpoint});
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

/// max |x - exact| and max |y - exact| over the steps.
std::array<double, 2> errors(Scheme scheme, const support::Data& data) {
  const auto path = run(Method::turning_points, scheme, data);
  const auto exact = run(Method::exact, scheme, data);
  std::array<double, 2> greatest{};
  for (std::size_t p = 0; p < path.x.size(); ++p) {
    greatest[0] = std::max(greatest[0], std::abs(path.x[p] - exact.x[p]));
    greatest[1] = std::max(greatest[1], std::abs(path.y[p] - exact.y[p]));
  }
  return greatest;
}

/// Cells that slide and turn at each half period: with the turn taken apart the error falls
/// by 4 at every halving of δt, by 2 for euler; without, it jumps with the phase of the turns.
TEST(Schemes, HaveTheirOrderWithTurningPointsInsideSteps) {
  const std::pair<Scheme, double> expected[] = {{Scheme::leapfrog, 2.0}, {Scheme::euler, 1.0}};
  for (const auto& [scheme, order] : expected) {
    support::Data data{.threshold = "s+0.1",
                       .force = "0.45*cos(0.5*t)",
                       .oscillator = {.k0 = 0.1},
                       .final_time = 30.0,
                       .steps = scheme == Scheme::leapfrog ? 1500 : 24000,
                       .space = support::space_of(200)};
    auto coarse = errors(scheme, data);
    for (int level = 0; level < 4; ++level) {
      data.steps = 2 * data.steps + 1;  // turns fall on another part of the step every time
      const auto fine = errors(scheme, data);
      for (const std::size_t quantity : {0U, 1U}) {
        EXPECT_NEAR(std::log2(coarse[quantity] / fine[quantity]), order, 0.05)
            << (quantity == 0 ? "x" : "y") << ", N = " << data.steps;
      }
      coarse = fine;
    }
  }
}

}  // namespace masing::test_schemes
