// Seconds of phases: every moment of the outermost timer's life counts for one phase, that of the
// innermost timer, by hand; a message between ranks counts as communication, one rank has none.

#include "parallel/phase.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>

#include "parallel/rank_sum.hpp"
#include "support/world.hpp"

namespace masing::test_phase {

using parallel::Phase;
using parallel::PhaseTimer;

constexpr double rounding = 1e-9;  // of sums of some seconds

double counted(Phase phase) {
  return parallel::phase_seconds()[static_cast<std::size_t>(phase)];
}

/// Keeps the core for a millisecond or more.
void work() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(Phases, share_the_life_of_the_outermost_timer) {
  double life = 0.0;
  double life_of_steps = 0.0;
  {
    const PhaseTimer setup(Phase::setup, &life);
    work();
    {
      const PhaseTimer steps(Phase::steps, &life_of_steps);
      work();
      const PhaseTimer output(Phase::output);
      work();
    }
    const PhaseTimer seal(Phase::seal);
    work();
  }
  double sum = 0.0;
  for (const Phase phase : {Phase::setup, Phase::steps, Phase::output, Phase::seal}) {
    EXPECT_GE(counted(phase), 0.001);
    sum += counted(phase);
  }
  EXPECT_NEAR(sum, life, rounding);
  EXPECT_NEAR(counted(Phase::steps) + counted(Phase::output), life_of_steps, rounding);
  const PhaseTimer in_no_other(Phase::steps);
  EXPECT_EQ(counted(Phase::setup), 0.0) << "all begin anew";
}

TEST(Phases, count_sums_over_several_ranks_as_communication) {
  const PhaseTimer steps(Phase::steps);
  parallel::RankSum sum(support::world());
  // The clock goes in steps of some milliseconds: until every rank has met one.
  const bool has_others = support::world().size() > 1;
  std::array<std::int64_t, 1> waiting{1};
  for (int round = 0; waiting[0] > 0 && round < (has_others ? 100000000 : 1000); ++round) {
    waiting[0] = counted(Phase::communication) > 0.0 ? 0 : 1;
    sum(waiting);
  }
  EXPECT_EQ(counted(Phase::communication) > 0.0, has_others);
  EXPECT_LE(counted(Phase::communication), counted(Phase::steps) + 0.02);
}

}  // namespace masing::test_phase
