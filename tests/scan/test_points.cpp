// Points of a scan that all ranks share: failures leave the others alone.

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "scan/made_up.hpp"
#include "support/world.hpp"

namespace masing::test_points {

using scan::ScanPoint;
using scan::ScanResult;
using support::world;

TEST(Points, that_fail_leave_the_others_alone) {
  for (const std::string way : {"steady", "keep=series"}) {
    const cli::Scan made = made_up::scan(way +
                                         "; over a=0.01,0.5; over w=0.4,1.1,1.9; force=a*cos(w*t); "
                                         "final-time=8*pi/w; steps=400");
    const ScanResult dealt = scan::make_scan(world(), made.spec, [&](std::int64_t point) {
      if (made_up::value_at(made, point) == 0.5 && made_up::value_at(made, point, 1) == 0.4) {
        throw base::UserError("threshold", "made up");
      }
      return cli::problem_at(made, point);
    });
    ASSERT_EQ(dealt.points.size(), 6U);
    EXPECT_EQ(dealt.failed(), 1);
    for (std::size_t i = 0; i < dealt.points.size(); ++i) {
      const ScanPoint& point = dealt.points[i];
      const bool fails = i == 3;  // the last axis varies fastest
      EXPECT_EQ(point.has_failed(), fails) << i;
      EXPECT_EQ(point.message, fails ? "threshold: made up" : "") << i;
      EXPECT_EQ(point.series.empty(), fails || !made.spec.keep_series || !world().is_root()) << i;
      EXPECT_EQ(std::isnan(point.numbers.amplitude), fails) << i;
    }
  }
}

TEST(Points, fewer_than_ranks_are_made_together_with_the_same_bits) {
  const cli::Scan made =
      made_up::scan("force=a*cos(0.5*t); over a=0.9; final-time=8*pi; steps=200; keep=series",
                    "cells=40000; engine=sweep; damping=0.3");
  const ScanPoint expected = made_up::points(support::alone(), made).points[0];
  const ScanPoint found = made_up::points(world(), made).points[0];
  made_up::expect_same(found, expected);
  EXPECT_TRUE(found.series == expected.series || !world().is_root());
}

}  // namespace masing::test_points
