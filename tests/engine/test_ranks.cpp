// Which ranks hold what of a slab, and that all ranks fail alike. That the numbers do not depend on
// them is shown for every engine in test_restart.cpp.

#include <gtest/gtest.h>

#include <utility>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "support/problem.hpp"
#include "support/trajectory.hpp"
#include "support/world.hpp"

namespace masing::test_ranks {

using support::Trajectory;

const std::vector<std::int64_t> field_steps{0, 7, 200, 401};

Trajectory swept(const parallel::Communicator& comm, const support::Problem& problem) {
  return support::trajectory(comm, problem, engine::Method::sweep, field_steps);
}

TEST(Slab, holds_each_cell_on_one_rank) {
  for (const std::int64_t cells : {1, 1025, 5000}) {
    const Trajectory run = swept(support::world(), support::forced(cells));
    const auto expected =
        base::local_range(cells, support::world().rank(), support::world().size());
    EXPECT_EQ(run.fields.back().range.first, expected.first);
    EXPECT_EQ(run.fields.back().range.size, expected.size);
    EXPECT_EQ(run.fields.back().u.size(), static_cast<std::size_t>(expected.size));
  }
}

TEST(Slab, that_is_not_worth_splitting_is_each_ranks) {
  const support::Problem problem = support::forced(5000);
  const Trajectory alone = swept(support::alone(), problem);
  engine::RunSpec run = support::run_of(problem);
  for (const auto& [split_from, holders] :
       {std::pair<std::int64_t, int>{5001, 1}, {5000, support::world().size()}}) {
    run.split_from = split_from;
    const bool is_split = engine::is_split(run, support::world().size());
    const parallel::Communicator by = support::all_or_one(support::world(), is_split);
    EXPECT_EQ(by.size(), holders);
    const engine::Setup setup = engine::make_setup(by, run);
    EXPECT_EQ(setup.profile->range.size, base::local_range(5000, by.rank(), holders).size);
    const Trajectory whole = support::trajectory(by, *setup.engine, problem, field_steps);
    EXPECT_EQ(whole.fields[0].range.size, setup.profile->range.size);
    support::expect_same(whole, alone);
  }
}

TEST(CheckedProfile, reports_the_first_cell_at_fault_on_every_rank) {
  // Cells at fault in the last two blocks: the same message must come from all ranks.
  const support::Problem problem =
      support::problem({.stiffness = "s < 0.7 ? 1 : -1", .space = support::space_of(4096)});
  try {
    engine::checked_profile(support::world(), problem);
    FAIL() << "a negative stiffness was taken";
  } catch (const base::UserError& mistake) {
    EXPECT_NE(std::string(mistake.what()).find("cell 2868 of 4096"), std::string::npos)
        << mistake.what();
  }
}

TEST(NonFinite, ends_every_rank_alike) {
  const auto message = [](const support::Data& data) -> std::string {
    try {
      swept(support::world(), support::problem(data));
    } catch (const base::UserError& mistake) {
      return mistake.what();
    }
    return "";
  };
  // F is infinite at t = 1, step 30 of 60.
  const std::string force = message(
      {.force = "1/(t-1)", .final_time = 2.0, .steps = 60, .space = support::space_of(2000)});
  EXPECT_NE(force.find("force: F(t) = "), std::string::npos) << force;
  EXPECT_NE(force.find("t = 1)"), std::string::npos) << force;
  // (1 + (δtω)²)^(N/2) with δtω = 1e160 overflows.
  const std::string growth = message({.oscillator = {.k0 = 1e300, .x0 = 1.0},
                                      .final_time = 1e12,
                                      .steps = 100,
                                      .space = support::space_of(2000)});
  EXPECT_NE(growth.find("steps: "), std::string::npos) << growth;
}

}  // namespace masing::test_ranks
