// What an interval of an order says about the expected one, and which levels would decide it.

#include "statistics/verdict.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

namespace masing::test_verdict {

using statistics::CountLadder;
using statistics::deciding_ladder;
using statistics::Fit;
using statistics::Mark;
using statistics::UndecidedOrder;
using Counts = std::vector<std::int64_t>;
using statistics::judge;
using statistics::Verdict;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

TEST(Judge, wants_the_whole_interval_within_the_tolerance_or_above_a_least_order) {
  const statistics::ExpectedOrder one{.quantity = "x", .order = 1.0};
  const statistics::ExpectedOrder half{.quantity = "x", .order = 0.5, .at_least = true};
  struct Case {
    const statistics::ExpectedOrder& expected;
    double observed;
    double uncertainty;
    Verdict verdict;
  };
  for (const auto& [expected, observed, uncertainty, verdict] :
       std::initializer_list<Case>{{one, 1.0, 0.05, Verdict::as_expected},
                                   {one, 1.07, 0.02, Verdict::as_expected},
                                   {one, 0.93, 0.02, Verdict::as_expected},
                                   {one, 1.0, 0.11, Verdict::undecided},
                                   {one, 1.09, 0.02, Verdict::undecided},
                                   {one, 1.11, 0.02, Verdict::undecided},
                                   {one, 0.87, 0.02, Verdict::not_as_expected},
                                   {one, 1.13, 0.02, Verdict::not_as_expected},
                                   {one, 3.0, 2.5, Verdict::undecided},
                                   {one, nan_value, 0.0, Verdict::undefined},
                                   // without an uncertainty always decided
                                   {one, 1.09, 0.0, Verdict::as_expected},
                                   {one, 0.91, 0.0, Verdict::as_expected},
                                   {one, 1.11, 0.0, Verdict::not_as_expected},
                                   {one, -1.0, 0.0, Verdict::not_as_expected},
                                   {half, 0.45, 0.04, Verdict::as_expected},
                                   {half, 2.0, 1.0, Verdict::as_expected},
                                   {half, 2.0, 1.7, Verdict::undecided},
                                   {half, 0.3, 0.05, Verdict::not_as_expected},
                                   {half, nan_value, 0.0, Verdict::undefined}}) {
    EXPECT_EQ(judge(expected, observed, uncertainty, 0.1), verdict)
        << expected.order << ": " << observed << " +- " << uncertainty;
  }
}

TEST(WorstVerdict, is_the_first_of_its_order) {
  std::vector<Verdict> verdicts;
  for (const Verdict worse : {Verdict::not_judged, Verdict::exact, Verdict::as_expected,
                              Verdict::undecided, Verdict::undefined, Verdict::not_as_expected}) {
    verdicts.push_back(worse);
    EXPECT_EQ(statistics::worst(verdicts), worse);
    verdicts.insert(verdicts.begin(), worse);
  }
  EXPECT_EQ(statistics::worst({}), Verdict::not_judged);
}

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
  ASSERT_EQ(found.size(), 3U);
  // 16 before and 4 more make 64. Two standard errors are to be half the tolerance, with the σ that
  // 3 degrees of freedom, whose χ² is 1.005 or less in one of five, leave possible.
  EXPECT_EQ(found[0], 100);
  EXPECT_EQ(found[1], 6400);
  const double sigma = 0.1 * std::sqrt(3 / 1.005);
  const double root = 2 * sigma * std::sqrt(12.0) / (std::log(64.0) * 0.05);
  EXPECT_NEAR(static_cast<double>(found[2]), std::max(24.0, root * root), 1);
  // Of twice the scatter four times the levels; of P and N in turn four times again.
  const Fit more = scattering(0.2);
  EXPECT_NEAR(static_cast<double>(deciding_ladder(doublings, {order_of(more)}, 0.1).back()),
              4 * root * root, 2);
  CountLadder both = doublings;
  both.counts.push_back({10, 20, 40, 80, 160});
  const auto of_both = deciding_ladder(both, {order_of(fit)}, 0.1);
  ASSERT_EQ(of_both.size(), 5U);
  EXPECT_EQ(Counts(of_both.begin(), of_both.end() - 1), (Counts{100, 10, 6400, 640}));
  EXPECT_NEAR(static_cast<double>(of_both.back()), 4 * root * root, 2);
}

TEST(DecidingLadder, stays_above_the_round_off_floor) {
  const Fit fit = scattering(0.1);
  UndecidedOrder order = order_of(fit);
  order.floor = 1.0 / 25;  // ten of them are 0.4 of the last error
  EXPECT_EQ(deciding_ladder(doublings, {order}, 0.1).at(1), 3200);
}

TEST(DecidingLadder, of_differences_is_one_of_doublings) {
  CountLadder made = doublings;
  made.are_differences = true;
  const Fit fit = scattering(0.1);
  // 0.2 (5/doublings)^(3/2) is 0.05 of 12.6 doublings, more than 16 times finer: none.
  EXPECT_EQ(deciding_ladder(made, {order_of(fit)}, 0.1), Counts{});
  Fit less = fit;
  less.statistical = 0.08;  // 6.8 doublings: 7, and 8 levels
  EXPECT_EQ(deciding_ladder(made, {order_of(less)}, 0.1), (Counts{100, 12800, 8}));
}

TEST(DecidingLadder, is_none_where_none_is_asked_for_or_none_would_decide) {
  EXPECT_EQ(deciding_ladder(doublings, {}, 0.1), Counts{});
  const Fit wild = scattering(2.0);
  EXPECT_EQ(deciding_ladder(doublings, {order_of(wild)}, 0.1), Counts{});
  CountLadder of_file = doublings;
  of_file.most_finer = 0.5;
  const Fit fit = scattering(0.1);
  EXPECT_EQ(deciding_ladder(of_file, {order_of(fit)}, 0.1), Counts{});
}

}  // namespace masing::test_verdict
