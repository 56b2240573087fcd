// What an interval of an order says about the expected one.

#include "statistics/verdict.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <vector>

namespace masing::test_verdict {

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

}  // namespace masing::test_verdict
