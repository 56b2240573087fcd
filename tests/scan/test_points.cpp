// Points of a scan that all ranks share: failures that leave the others alone, points that are
// added.

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
  for (const auto kind : {scan::ScanKind::runs, scan::ScanKind::steady}) {
    ScanSpec spec = made_up::steady({{"a", {0.01, 0.5}}, {"w", {0.4, 1.1, 1.9}}});
    spec.kind = kind;
    spec.keep_series = true;
    const ScanResult dealt = scan::make_scan(support::world(), spec, grid_problem);
    ASSERT_EQ(dealt.points.size(), 6U);
    EXPECT_EQ(dealt.failed(), 1);
    for (std::size_t i = 0; i < dealt.points.size(); ++i) {
      const ScanPoint& point = dealt.points[i];
      const bool fails = i == 3;  // the last axis varies fastest
      EXPECT_EQ(point.has_failed(), fails) << i;
      EXPECT_EQ(point.message, fails ? "threshold: made up" : "") << i;
      EXPECT_EQ(point.series.empty(), fails || !support::world().is_root()) << i;
      EXPECT_EQ(std::isnan(point.numbers.amplitude), fails) << i;
    }
  }
}

/// A line of frequencies through the resonance, far below yielding, for each amplitude; of one of
/// them the middle fails.
ScanSpec lines(double resolve) {
  return made_up::steady({{"a", {0.005, 0.01}}, {"w", {1.6, 0.6, 0.85, 1.1, 1.35}}}, resolve);
}
scan::ScanProblem line_problem(std::span<const double> values) {
  if (values[0] == 0.005 && values[1] == 1.1) {
    throw base::UserError("threshold", "made up");
  }
  return made_up::problem(made_up::cosine(values[0], values[1]));
}

TEST(Points, are_put_where_a_resonance_bends_until_no_middle_is_far_from_its_chord) {
  constexpr double resolve = 0.03;
  const ScanResult made = scan::make_scan(support::world(), lines(resolve), line_problem);
  std::vector<double> found;  // of the line that does not fail
  for (const ScanPoint& point : made.points) {
    if (point.values[0] == 0.01) {
      found.push_back(point.values[1]);
    }
  }
  // Beside a point that failed nothing is known to bend.
  EXPECT_EQ(made.points.size() - found.size(), 5U);
  EXPECT_EQ(made.failed(), 1);
  EXPECT_TRUE(std::ranges::is_sorted(made.points, {}, &ScanPoint::values));
  EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
  for (const double w : {0.6, 0.85, 1.1, 1.35, 1.6}) {
    EXPECT_EQ(std::ranges::count(found, w), 1) << w;
  }
  EXPECT_GT(found.size(), 8U);
  EXPECT_LT(found.size(), 33U) << "no more than where it bends";
  const auto response = [](double w) {
    return 0.01 / made_up::stiffness(made_up::cosine(0.01, w));
  };
  const double range = 0.01 / 0.3 / 1.07 - std::abs(response(1.6)) / 2;
  for (std::size_t i = 1; i < found.size(); ++i) {
    const std::complex<double> before = response(found[i - 1]);
    const std::complex<double> after = response(found[i]);
    const std::complex<double> middle = response((found[i - 1] + found[i]) / 2);
    EXPECT_NEAR(std::abs(middle), (std::abs(before) + std::abs(after)) / 2, resolve * range);
    EXPECT_NEAR(std::arg(middle), (std::arg(before) + std::arg(after)) / 2,
                resolve * std::numbers::pi);
  }
}

TEST(Points, that_are_put_between_others_are_ten_times_as_many_at_most) {
  // 3, 5, 9, 17, then 30, not 33.
  ScanSpec spec = made_up::steady({{"a", {0.01}}, {"w", {0.6, 0.601, 1.6}}}, 1e-12);
  EXPECT_EQ(scan::make_scan(support::world(), spec, line_problem).points.size(), 30U);
  spec.resolve.reset();
  EXPECT_EQ(scan::make_scan(support::world(), spec, line_problem).points[2].values[1], 1.6);
}

}  // namespace masing::test_points
