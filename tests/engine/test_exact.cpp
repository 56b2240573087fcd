// The exact engine: the field of its own turning points, and its check.
#include "engine/engines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"
#include "support/problem.hpp"
#include "support/trajectory.hpp"
#include "support/world.hpp"

namespace masing::test_exact {

support::Problem forced(std::int64_t cells, std::int64_t steps) {
  support::Problem problem = support::forced(cells, "0.3*abs(s-0.4)");
  problem.time.steps = steps;
  return problem;
}

/// An exact engine with what it refers to.
struct Made {
  explicit Made(const support::Problem& problem)
      : profile(engine::checked_profile(alone, problem)),
        engine(
            engine::make_engine(alone, support::run_of(problem, engine::Method::exact), profile)) {}

  parallel::Communicator alone = support::alone();
  slab::Profile profile;
  std::unique_ptr<engine::Engine> engine;
};

/// self_check of an engine that has gone to each of some times.
double self_check(engine::Engine& engine, const std::vector<double>& times) {
  std::vector<double> x(times.size());
  std::vector<double> y = x;
  std::vector<double> restoring = x;
  engine.advance({.times = times, .x = x, .y = y, .restoring = restoring});
  return engine.self_check();
}

TEST(Exact, SelfCheckDoesNotDependOnTheTimesThatAreAskedFor) {
  const std::int64_t steps = 20000;  // more than there are comparisons
  const support::Problem problem = forced(20, steps);
  std::vector<double> all;
  for (std::int64_t p = 1; p <= steps; ++p) {
    all.push_back(problem.time.time(p));
  }
  const double checked = self_check(*Made(problem).engine, all);
  EXPECT_GT(checked, 0.0);
  EXPECT_EQ(self_check(*Made(problem).engine, {all.back()}), checked);
  // p T/N rounded may be before T.
  EXPECT_EQ(self_check(*Made(problem).engine, {std::nextafter(all.back(), 0.0)}), checked);
}

TEST(Exact, ElongationIsTheFieldAtEveryPoint) {
  const support::Problem problem = forced(100, 10);
  const Made made(problem);
  (void)support::trajectory(made.alone, *made.engine, problem);
  const slab::RememberedElongation u = *made.engine->elongation();
  const auto field = made.engine->field().values();
  for (std::int64_t i = 0; i < made.profile.range.size; ++i) {
    EXPECT_EQ(u(made.profile.element(i)), field[static_cast<std::size_t>(i)]);
  }
}

TEST(Exact, RefusesAForceThatIsNotSmoothOrNotFinite) {
  EXPECT_THROW(Made(support::problem({.force = "abs(sin(t))"})), base::UserError);
  const support::Problem problem =
      support::problem({.force = "1/(t-0.503)^2*exp(800*t)", .final_time = 1.0, .steps = 4});
  EXPECT_THROW(support::trajectory(support::alone(), problem, engine::Method::exact),
               base::UserError);
}

TEST(Exact, ASolutionThatFailsItsCheckIsAnError) {
  const support::Problem problem = support::problem(
      {.force = "cos(30*t)", .final_time = 20.0, .steps = 20, .space = support::space_of(50)});
  const parallel::Communicator alone = support::alone();
  const slab::Profile profile = engine::checked_profile(alone, problem);
  const engine::RunSpec run = support::run_of(problem, engine::Method::exact);
  const auto measure = slab::make_cell_measure(profile);
  const auto integrated = [&](const slab::StepControl& options) {
    const auto engine = engine::make_exact(alone, run, std::get<engine::Masing>(run.model), profile,
                                           measure, options);
    return support::trajectory(alone, *engine, problem);
  };
  EXPECT_EQ(integrated({}).x.size(), 21U);
  // a step control that lets both solutions go wrong, each in its own way: steps of a period
  EXPECT_THROW((void)integrated({.tolerance = 1e3, .longest_step = 50.0}), base::SystemError);
}

}  // namespace masing::test_exact
