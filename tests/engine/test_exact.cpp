// The exact engine over the ranks: the same bits as on one rank, the field of its own memory, and
// the solution that `sweep` tends to.
#include "engine/exact.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "slab/turning_points/cell_measure.hpp"
#include "support/problem.hpp"
#include "support/trajectory.hpp"
#include "support/world.hpp"

namespace masing::test_exact {

support::Problem forced(std::int64_t cells, std::int64_t steps) {
  return support::problem({.stiffness = "1+0.5*sin(3*s)",
                           .threshold = "0.1+abs(s-0.4)",
                           .initial_u = "0.3*abs(s-0.4)",
                           .force = "0.45*cos(0.5*t)+0.1*sawtooth(t/3)",
                           .oscillator = {.mass = 0.9, .k0 = 0.03, .x0 = 0.2, .y0 = -0.1},
                           .final_time = 20.0,
                           .steps = steps,
                           .space = support::space_of(cells)});
}

support::Trajectory exact_trajectory(const parallel::Communicator& comm,
                                     const support::Problem& problem,
                                     const std::vector<std::int64_t>& field_steps = {}) {
  const slab::Profile profile = engine::checked_profile(comm, problem);
  const auto engine =
      engine::make_engine(comm, support::run_of(problem, engine::Method::exact), profile);
  return support::trajectory(comm, *engine, problem, field_steps);
}

TEST(Exact, IsTheSameOnAnyNumberOfRanks) {
  const support::Problem problem = forced(2500, 200);
  const auto whole = exact_trajectory(support::world(), problem, {0, 77, 200});
  const auto alone = exact_trajectory(support::alone(), problem, {0, 77, 200});
  EXPECT_TRUE(support::same_bits(whole.x, alone.x));
  EXPECT_TRUE(support::same_bits(whole.y, alone.y));
  EXPECT_TRUE(support::same_bits(whole.restoring, alone.restoring));
  ASSERT_EQ(whole.fields.size(), 3U);
  ASSERT_EQ(alone.fields.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& mine = whole.fields[i];
    const auto first = alone.fields[i].u.begin() + mine.range.first;
    EXPECT_TRUE(support::same_bits(mine.u, std::vector<double>(first, first + mine.range.size)));
  }
}

TEST(Exact, IsWhatTheSweepTendsTo) {
  const std::int64_t steps = 40000;
  const auto exact = exact_trajectory(support::world(), forced(50, steps), {steps});
  const auto sweep = support::trajectory(support::world(), forced(50, steps), {steps});
  double x = 0.0;
  double restoring = 0.0;
  for (std::size_t p = 0; p < exact.x.size(); ++p) {
    x = std::max(x, std::abs(exact.x[p] - sweep.x[p]));
    restoring = std::max(restoring, std::abs(exact.restoring[p] - sweep.restoring[p]));
  }
  EXPECT_LT(x, 5e-3);
  EXPECT_LT(restoring, 5e-3);
  for (std::size_t i = 0; i < exact.fields.at(0).u.size(); ++i) {
    EXPECT_NEAR(exact.fields[0].u[i], sweep.fields.at(0).u[i], 5e-3);
  }
}

TEST(Exact, TheContinuumIsTheSameOnAnyNumberOfRanksAndTheLimitOfCells) {
  support::Problem problem = forced(std::int64_t{0}, 200);
  problem.space = slab::Continuum{2500};
  const auto whole = exact_trajectory(support::world(), problem, {200});
  const auto alone = exact_trajectory(support::alone(), problem, {200});
  EXPECT_TRUE(support::same_bits(whole.x, alone.x));
  const auto& mine = whole.fields.at(0);
  const auto first = alone.fields.at(0).u.begin() + mine.range.first;
  EXPECT_TRUE(support::same_bits(mine.u, std::vector<double>(first, first + mine.range.size)));

  const auto cells = exact_trajectory(support::world(), forced(2500, 200), {200});
  EXPECT_NEAR(whole.x.back(), cells.x.back(), 1e-3);
  for (std::size_t i = 0; i < mine.u.size(); ++i) {
    EXPECT_NEAR(mine.u[i], cells.fields.at(0).u[i], 1e-3);
  }
}

TEST(Exact, ElongationIsTheFieldAtEveryPoint) {
  const support::Problem problem = forced(100, 10);
  const slab::Profile profile = engine::checked_profile(support::world(), problem);
  const auto engine = engine::make_engine(support::world(),
                                          support::run_of(problem, engine::Method::exact), profile);
  (void)support::trajectory(support::world(), *engine, problem);
  const slab::RememberedElongation u = *engine->elongation();
  const parallel::ReadAccess field(engine->field());
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    EXPECT_EQ(u(profile.element(i)), field.values()[static_cast<std::size_t>(i)]);
  }
}

TEST(Exact, RefusesWhatItCannotSolve) {
  const auto refused = [](const support::Data& data) {
    const support::Problem problem = support::problem(data);
    const slab::Profile profile = engine::checked_profile(support::world(), problem);
    EXPECT_THROW((void)engine::make_engine(
                     support::world(), support::run_of(problem, engine::Method::exact), profile),
                 base::UserError);
  };
  refused({.force = "abs(sin(t))"});
}

TEST(Exact, AForceThatIsNotFiniteIsRefusedOnEveryRank) {
  const support::Problem problem =
      support::problem({.force = "1/(t-0.503)^2*exp(800*t)", .final_time = 1.0, .steps = 4});
  EXPECT_THROW((void)exact_trajectory(support::world(), problem), base::UserError);
}

TEST(Exact, ASolutionThatFailsItsCheckIsAnError) {
  const support::Problem problem = support::problem(
      {.force = "cos(30*t)", .final_time = 20.0, .steps = 20, .space = support::space_of(50)});
  const slab::Profile profile = engine::checked_profile(support::alone(), problem);
  const engine::RunSpec run = support::run_of(problem, engine::Method::exact);
  const auto measure = slab::make_cell_measure(profile);
  const auto integrated = [&](const slab::ExactOptions& options) {
    const auto engine = engine::make_exact(
        support::alone(), run, std::get<engine::Masing>(run.model), profile, measure, options);
    return support::trajectory(support::alone(), *engine, problem);
  };
  EXPECT_EQ(integrated({}).x.size(), 21U);
  // a step control that lets both solutions go wrong, each in its own way: steps of a period
  EXPECT_THROW((void)integrated({.tolerance = 1e3, .longest_step = 50.0}), base::SystemError);
}

}  // namespace masing::test_exact
