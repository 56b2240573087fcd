// Ladders that would decide, from fits given by hand: their ends and numbers of levels follow from
// the standard error of a slope, σ √12/(L √n).

#include "statistics/verdict.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace masing::test_deciding_ladder {

using statistics::CountLadder;
using statistics::deciding_ladder;
using statistics::Fit;
using statistics::Mark;
using statistics::UndecidedOrder;
using Counts = std::vector<std::int64_t>;

/// Five doublings of N, all in the asymptotic range.
const CountLadder doublings{.counts = {{100, 200, 400, 800, 1600}}};

Fit scattering(double scatter) {
  return {.marks = std::vector<Mark>(5, Mark::fitted),
          .levels = 5,
          .order = 1.0,
          .uncertainty = 0.2,
          .statistical = 0.2,
          .structural = 0.0,
          .scatter = scatter};
}

UndecidedOrder order_of(const Fit& fit) {
  return {.fit = &fit, .steps = {16, 8, 4, 2, 1}, .errors = {16, 8, 4, 2, 1}};
}

TEST(DecidingLadder, has_as_many_levels_as_the_scatter_needs) {
  const Fit fit = scattering(0.1);
  const auto found = deciding_ladder(doublings, {order_of(fit)}, 0.1);
  ASSERT_TRUE(found);
  // 16 before and 4 more make 64. Two standard errors are to be half the tolerance, with the σ that
  // 3 degrees of freedom, whose χ² is 1.005 or less in one of five, leave possible.
  EXPECT_EQ(found->first, Counts{100});
  EXPECT_EQ(found->last, Counts{6400});
  const double sigma = 0.1 * std::sqrt(3 / 1.005);
  const double root = 2 * sigma * std::sqrt(12.0) / (std::log(64.0) * 0.05);
  EXPECT_NEAR(static_cast<double>(found->levels), std::max(24.0, root * root), 1);
  // Of twice the scatter four times the levels; of P and N in turn four times again.
  const Fit more = scattering(0.2);
  EXPECT_NEAR(static_cast<double>(deciding_ladder(doublings, {order_of(more)}, 0.1)->levels),
              4 * root * root, 2);
  CountLadder both = doublings;
  both.counts.push_back({10, 20, 40, 80, 160});
  const auto of_both = deciding_ladder(both, {order_of(fit)}, 0.1);
  EXPECT_EQ(of_both->last, (Counts{6400, 640}));
  EXPECT_NEAR(static_cast<double>(of_both->levels), 4 * root * root, 2);
}

TEST(DecidingLadder, stays_above_the_round_off_floor) {
  const Fit fit = scattering(0.1);
  UndecidedOrder order = order_of(fit);
  order.floor = 1.0 / 25;  // ten of them are 0.4 of the last error
  EXPECT_EQ(deciding_ladder(doublings, {order}, 0.1)->last, Counts{3200});
}

TEST(DecidingLadder, of_differences_is_one_of_doublings) {
  CountLadder made = doublings;
  made.are_differences = true;
  const Fit fit = scattering(0.1);
  // 0.2 (5/doublings)^(3/2) is 0.05 of 12.6 doublings, more than 16 times finer: none.
  EXPECT_FALSE(deciding_ladder(made, {order_of(fit)}, 0.1));
  Fit less = fit;
  less.statistical = 0.08;  // 6.8 doublings: 7, and 8 levels
  const auto found = deciding_ladder(made, {order_of(less)}, 0.1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->last, Counts{12800});
  EXPECT_EQ(found->levels, 8);
}

TEST(DecidingLadder, is_none_where_none_is_asked_for_or_none_would_decide) {
  EXPECT_FALSE(deciding_ladder(doublings, {}, 0.1));
  const Fit wild = scattering(2.0);
  EXPECT_FALSE(deciding_ladder(doublings, {order_of(wild)}, 0.1));
  CountLadder of_file = doublings;
  of_file.most_finer = 0.5;
  const Fit fit = scattering(0.1);
  EXPECT_FALSE(deciding_ladder(of_file, {order_of(fit)}, 0.1));
}

}  // namespace masing::test_deciding_ladder
