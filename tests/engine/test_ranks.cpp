// The same bits in x, y, F - m x'' and u on any number of ranks, for any P, and wherever chunks
// end: each trajectory is compared with one that this rank computes alone. Source: README, "The
// scheme, and where the solution lives".

#include <gtest/gtest.h>

#include <utility>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "support/problem.hpp"
#include "support/trajectory.hpp"
#include "support/world.hpp"

namespace masing::test_ranks {

using support::same_bits;
using support::Trajectory;

/// A forced run with yielding, reversals and hardening, k, η and u0 all varying over s.
support::Problem forced(std::int64_t cells, slab::Rule rule = slab::Rule::right) {
  return support::problem({.stiffness = "1+0.5*sin(3*s)",
                           .threshold = "0.1+abs(s-0.4)",
                           .initial_u = "0.05*cos(20*s)",
                           .force = "0.45*cos(0.5*t)+0.1*sawtooth(t/3)",
                           .oscillator = {.mass = 0.9, .k0 = 0.03, .x0 = 0.2, .y0 = -0.1},
                           .final_time = 20.0,
                           .steps = 401,
                           .space = support::space_of(cells),
                           .rule = rule});
}

void expect_same(const Trajectory& whole, const Trajectory& alone) {
  EXPECT_TRUE(same_bits(whole.x, alone.x));
  EXPECT_TRUE(same_bits(whole.y, alone.y));
  EXPECT_TRUE(same_bits(whole.force, alone.force));
  EXPECT_TRUE(same_bits(whole.restoring, alone.restoring));
  EXPECT_EQ(whole.fields.size(), alone.fields.size());
  for (std::size_t i = 0; i < std::min(whole.fields.size(), alone.fields.size()); ++i) {
    const auto& mine = whole.fields[i];
    const auto& all = alone.fields[i];
    EXPECT_EQ(mine.step, all.step);
    // `alone` holds either all cells or those of this rank.
    const auto first = all.u.begin() + (mine.range.first - all.range.first);
    EXPECT_TRUE(same_bits(mine.u, std::vector<double>(first, first + mine.range.size)))
        << "u at step " << mine.step;
  }
}

class Ranks : public testing::TestWithParam<std::int64_t> {};

TEST_P(Ranks, give_the_same_bits_as_one) {
  const std::vector<std::int64_t> field_steps{0, 7, 200, 401};
  for (const auto rule : {slab::Rule::right, slab::Rule::midpoint}) {
    const support::Problem problem = forced(GetParam(), rule);
    const Trajectory whole = support::trajectory(support::world(), problem, field_steps);
    const Trajectory alone = support::trajectory(support::alone(), problem, field_steps);
    ASSERT_EQ(whole.x.size(), 402U);
    expect_same(whole, alone);
  }
}

// One cell; fewer blocks than ranks; not multiples of the block, of the 16 lanes, or of anything.
INSTANTIATE_TEST_SUITE_P(Cells, Ranks,
                         testing::Values<std::int64_t>(1, 2, 3, 1023, 1024, 1025, 2049, 3072, 5000,
                                                       10007));

TEST(Slab, holds_each_cell_on_one_rank) {
  for (const std::int64_t cells : {1, 1025, 5000}) {
    const Trajectory run = support::trajectory(support::world(), forced(cells), {401});
    ASSERT_EQ(run.fields.size(), 1U);
    const auto expected =
        base::local_range(cells, support::world().rank(), support::world().size());
    EXPECT_EQ(run.fields[0].range.first, expected.first);
    EXPECT_EQ(run.fields[0].range.size, expected.size);
    EXPECT_EQ(run.fields[0].u.size(), static_cast<std::size_t>(expected.size));
  }
}

TEST(Slab, that_is_not_worth_splitting_is_each_ranks) {
  const support::Problem problem = forced(5000);
  const std::vector<std::int64_t> field_steps{0, 7, 200, 401};
  const Trajectory alone = support::trajectory(support::alone(), problem, field_steps);
  engine::RunSpec run = support::run_of(problem);
  for (const auto& [split_from, holders] :
       {std::pair<std::int64_t, int>{5001, 1}, {5000, support::world().size()}}) {
    run.split_from = split_from;
    const parallel::Communicator by = engine::makers(support::world(), run);
    EXPECT_EQ(by.size(), holders);
    const engine::Setup setup = engine::make_setup(by, run);
    EXPECT_EQ(setup.profile->range.size, base::local_range(5000, by.rank(), holders).size);
    const Trajectory whole = support::trajectory(by, *setup.engine, problem, field_steps);
    EXPECT_EQ(whole.fields[0].range.size, setup.profile->range.size);
    expect_same(whole, alone);
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
      support::trajectory(support::world(), support::problem(data));
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
