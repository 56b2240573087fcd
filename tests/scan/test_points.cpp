// Points of a scan that all ranks share: failures that leave the others alone.

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "scan/made_up.hpp"
#include "support/world.hpp"

namespace masing::test_points {

using scan::ScanPoint;
using scan::ScanResult;
using scan::ScanSpec;

scan::ScanProblem grid_problem(std::span<const double> values) {
  if (values[0] == 0.5 && values[1] == 0.4) {
    throw base::UserError("threshold", "made up");
  }
  made_up::Point point = made_up::cosine(values[0], values[1]);
  point.periods = 4;
  point.steps_a_period = 100;
  return made_up::problem(point);
}

TEST(Points, that_fail_leave_the_others_alone) {
  for (const bool is_steady : {false, true}) {
    ScanSpec spec = made_up::steady({{"a", {0.01, 0.5}}, {"w", {0.4, 1.1, 1.9}}});
    spec.is_steady = is_steady;
    spec.keep_series = !is_steady;
    const ScanResult dealt = scan::make_scan(support::world(), spec, grid_problem);
    ASSERT_EQ(dealt.points.size(), 6U);
    EXPECT_EQ(dealt.failed(), 1);
    for (std::size_t i = 0; i < dealt.points.size(); ++i) {
      const ScanPoint& point = dealt.points[i];
      const bool fails = i == 3;  // the last axis varies fastest
      EXPECT_EQ(point.has_failed(), fails) << i;
      EXPECT_EQ(point.message, fails ? "threshold: made up" : "") << i;
      EXPECT_EQ(point.series.empty(), fails || !spec.keep_series || !support::world().is_root())
          << i;
      EXPECT_EQ(std::isnan(point.numbers.amplitude), fails) << i;
    }
  }
}

}  // namespace masing::test_points
