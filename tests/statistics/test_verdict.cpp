// What an interval of an order says about the expected one.

#include "statistics/verdict.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace masing::test_verdict {

using statistics::judge;
using statistics::Verdict;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

TEST(Judge, wants_the_whole_interval_within_the_tolerance_or_above_a_least_order) {
  const statistics::ExpectedOrder one{.quantity = "x", .order = 1.0};
  const statistics::ExpectedOrder half{.quantity = "x", .order = 0.5, .at_least = true};
  const auto verdict = [&](const statistics::ExpectedOrder& expected, double observed,
                           double uncertainty) {
    return judge(expected, observed, uncertainty, 0.1);
  };
  for (const double observed : {1.07, 0.93}) {
    EXPECT_EQ(verdict(one, observed, 0.02), Verdict::as_expected);
  }
  for (const auto& [observed, uncertainty] :
       {std::pair(1.0, 0.11), {1.09, 0.02}, {1.11, 0.02}, {3.0, 2.5}}) {
    EXPECT_EQ(verdict(one, observed, uncertainty), Verdict::undecided) << observed;
  }
  for (const double observed : {0.87, 1.13}) {
    EXPECT_EQ(verdict(one, observed, 0.02), Verdict::not_as_expected);
  }
  // Without an uncertainty it is always decided.
  for (const double observed : {0.91, 1.09}) {
    EXPECT_EQ(verdict(one, observed, 0.0), Verdict::as_expected);
  }
  for (const double observed : {-1.0, 1.11}) {
    EXPECT_EQ(verdict(one, observed, 0.0), Verdict::not_as_expected);
  }
  EXPECT_EQ(verdict(half, 0.45, 0.04), Verdict::as_expected);
  EXPECT_EQ(verdict(half, 2.0, 1.0), Verdict::as_expected);
  EXPECT_EQ(verdict(half, 2.0, 1.7), Verdict::undecided);
  EXPECT_EQ(verdict(half, 0.3, 0.05), Verdict::not_as_expected);
  EXPECT_EQ(verdict(half, 0.3, 0.0), Verdict::not_as_expected);
  for (const auto* expected : {&one, &half}) {
    EXPECT_EQ(verdict(*expected, nan_value, 0.0), Verdict::undefined);
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

}  // namespace masing::test_verdict
