// What an interval of an order says about the expected one.

#include "statistics/verdict.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace masing::test_verdict {

using statistics::judge;
using statistics::Verdict;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

TEST(Judge, wants_the_whole_interval_within_the_tolerance) {
  const statistics::ExpectedOrder one{.quantity = "x", .order = 1.0};
  EXPECT_EQ(judge(one, 1.0, 0.05, 0.1), Verdict::as_expected);
  EXPECT_EQ(judge(one, 1.07, 0.02, 0.1), Verdict::as_expected);
  EXPECT_EQ(judge(one, 0.93, 0.02, 0.1), Verdict::as_expected);
  EXPECT_EQ(judge(one, 1.0, 0.11, 0.1), Verdict::undecided);
  EXPECT_EQ(judge(one, 1.09, 0.02, 0.1), Verdict::undecided);
  EXPECT_EQ(judge(one, 1.11, 0.02, 0.1), Verdict::undecided);
  EXPECT_EQ(judge(one, 0.87, 0.02, 0.1), Verdict::not_as_expected);
  EXPECT_EQ(judge(one, 1.13, 0.02, 0.1), Verdict::not_as_expected);
  EXPECT_EQ(judge(one, 3.0, 2.5, 0.1), Verdict::undecided);
  EXPECT_EQ(judge(one, nan_value, 0.0, 0.1), Verdict::undefined);
}

TEST(Judge, decides_always_without_an_uncertainty) {
  const statistics::ExpectedOrder one{.quantity = "x", .order = 1.0};
  EXPECT_EQ(judge(one, 1.09, 0.0, 0.1), Verdict::as_expected);
  EXPECT_EQ(judge(one, 0.91, 0.0, 0.1), Verdict::as_expected);
  EXPECT_EQ(judge(one, 1.11, 0.0, 0.1), Verdict::not_as_expected);
  EXPECT_EQ(judge(one, -1.0, 0.0, 0.1), Verdict::not_as_expected);
}

TEST(Judge, takes_any_higher_order_where_at_least_is_expected) {
  const statistics::ExpectedOrder half{.quantity = "x", .order = 0.5, .at_least = true};
  EXPECT_EQ(judge(half, 0.45, 0.04, 0.1), Verdict::as_expected);
  EXPECT_EQ(judge(half, 2.0, 1.0, 0.1), Verdict::as_expected);
  EXPECT_EQ(judge(half, 2.0, 1.7, 0.1), Verdict::undecided);
  EXPECT_EQ(judge(half, 0.3, 0.05, 0.1), Verdict::not_as_expected);
  EXPECT_EQ(judge(half, nan_value, 0.0, 0.1), Verdict::undefined);
}

TEST(VerdictText, differs) {
  EXPECT_EQ(to_text(Verdict::as_expected), "as expected");
  EXPECT_EQ(to_text(Verdict::not_as_expected), "not as expected");
  EXPECT_EQ(to_text(Verdict::undecided), "undecided");
  EXPECT_EQ(to_text(Verdict::undefined), "undefined");
  EXPECT_EQ(to_text(Verdict::exact), "exact");
  EXPECT_EQ(to_text(Verdict::not_judged), "not judged");
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
