// The two schemes on slabs of one cell: numbers computed by hand, and the turning point inside a
// step. That they are their linear maps where nothing yields, and that the hysteresis memory is the
// scheme cell by cell on any slab, is shown by tests/commands/test_engines.py, the orders by
// tests/study/test_orders.cpp.

#include "slab/scheme.hpp"

#include <gtest/gtest.h>

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

support::Trajectory run(Method kind, Scheme scheme, const support::Data& data,
                        const std::vector<std::int64_t>& field_steps) {
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

/// The sum over the cells would cost more than the steps.
TEST(ElasticEnergy, of_many_cells_follows_from_the_turning_points) {
  const engine::RunSpec run = support::run_of(support::forced(1000, "0"), Method::turning_points);
  const parallel::Communicator alone = support::alone();
  const engine::Setup setup = engine::make_setup(alone, run);
  for (engine::TimeLoop loop(alone, *setup.engine, run, {}); !loop.is_done();) {
    loop.advance(engine::never, engine::Pause::none);
  }
  const std::span<const double> u = setup.engine->field().values();
  double energy = 0.0;  // ½ δs Σ k u²
  for (std::size_t i = 0; i < u.size(); ++i) {
    energy += setup.profile->element(static_cast<std::int64_t>(i)).stiffness * u[i] * u[i] / 2000;
  }
  ASSERT_TRUE(setup.engine->elastic_energy());
  EXPECT_NEAR(*setup.engine->elastic_energy(), energy, 1e-14);
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
