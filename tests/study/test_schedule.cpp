// Runs on ranks: every run once, within the ranks, the longest first; the whole is close to the
// bound max(longest run, work/ranks) that no schedule beats.

#include "study/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace masing::test_schedule {

using study::Cost;
using study::Placement;

Cost serial(double seconds) {
  return [seconds](int) { return seconds; };
}

Cost divisible(double seconds) {
  return [seconds](int ranks) { return seconds / ranks; };
}

/// When the last rank is done, each making its runs in the order of the list.
double makespan(const std::vector<Cost>& costs, const std::vector<Placement>& placements,
                int ranks) {
  std::vector<double> free_at(static_cast<std::size_t>(ranks), 0.0);
  for (const auto& [run, first, count] : placements) {
    const auto begin = free_at.begin() + first;
    const double end = *std::max_element(begin, begin + count) + costs[run](count);
    std::fill(begin, begin + count, end);
  }
  return *std::ranges::max_element(free_at);
}

TEST(Schedule, places_every_run_once_within_the_ranks) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> seconds(0.1, 10.0);
  for (int draw = 0; draw < 200; ++draw) {
    const int ranks = 1 + draw % 9;
    std::vector<Cost> costs;
    for (int i = 0; i < draw % 12; ++i) {
      costs.push_back(i % 2 == 0 ? serial(seconds(random)) : divisible(seconds(random)));
    }
    std::vector<int> times_placed(costs.size(), 0);
    for (const auto& [run, first, count] : study::schedule(costs, ranks)) {
      ++times_placed.at(run);
      EXPECT_GE(first, 0);
      EXPECT_GE(count, 1);
      EXPECT_LE(first + count, ranks);
    }
    EXPECT_TRUE(std::ranges::all_of(times_placed, [](int times) { return times == 1; }));
  }
}

TEST(Schedule, of_divisible_runs_wastes_nothing) {
  const std::vector<Cost> costs(10, divisible(1.0));
  const auto placements = study::schedule(costs, 2);
  EXPECT_DOUBLE_EQ(makespan(costs, placements, 2), 5.0);
}

TEST(Schedule, gives_a_run_that_outweighs_the_rest_all_ranks) {
  const std::vector<Cost> costs{divisible(0.1), divisible(100.0), divisible(0.1)};
  const auto placements = study::schedule(costs, 4);
  EXPECT_EQ(placements.front().run, 1U);
  EXPECT_EQ(placements.front().count, 4);
}

TEST(Schedule, gives_no_rank_to_a_run_that_gains_nothing) {
  const std::vector<Cost> costs{serial(5.0), serial(4.0), serial(3.0), serial(2.0)};
  const auto placements = study::schedule(costs, 2);
  for (const auto& placement : placements) {
    EXPECT_EQ(placement.count, 1);
  }
  EXPECT_DOUBLE_EQ(makespan(costs, placements, 2), 7.0);  // 5 + 2 beside 4 + 3
}

TEST(Schedule, stays_within_twice_the_bound_no_schedule_beats) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> seconds(0.1, 10.0);
  for (int draw = 0; draw < 200; ++draw) {
    const int ranks = 2 + draw % 7;
    std::vector<Cost> costs;
    double work = 0.0;
    double longest = 0.0;
    for (int i = 0; i < 1 + draw % 15; ++i) {
      const double s = seconds(random);
      work += s;
      longest = std::max(longest, s);
      costs.push_back(serial(s));
    }
    EXPECT_LE(makespan(costs, study::schedule(costs, ranks), ranks),
              2 * std::max(longest, work / ranks));
  }
}

TEST(EstimatedSeconds, grow_with_cells_and_steps_and_not_with_cells_for_memory) {
  engine::RunSpec run{engine::Masing{.slab = {.space = slab::Cells{100000}}}, {}, {500.0, 1000}};
  auto& masing = std::get<engine::Masing>(run.model);
  const double once = study::estimated_seconds(run, 1);
  EXPECT_LT(study::estimated_seconds(run, 2), once);
  run.time.steps *= 10;
  EXPECT_NEAR(study::estimated_seconds(run, 1), 10 * once, 1e-9);
  masing.method = engine::Method::turning_points;
  const double remembered = study::estimated_seconds(run, 1);
  masing.slab.space = slab::Cells{10};
  EXPECT_EQ(study::estimated_seconds(run, 8), remembered);
}

}  // namespace masing::test_schedule
