// Points of a scan: their numbers by hand, the same bits however they are dealt out, failures that
// leave the others alone, the table.

#include <gtest/gtest.h>

#include <array>
#include <bit>

#include "base/error.hpp"
#include "scan/made_up.hpp"
#include "support/world.hpp"

namespace masing::test_points {

using scan::PointNumbers;
using scan::Scan;
using scan::ScanPoint;
using scan::ScanSpec;

TEST(PointNumbers, follow_from_extremes_restoring_force_and_loss) {
  const PointNumbers cycle =
      scan::completed({.most_x = 3.0, .least_x = 1.0, .restoring_amplitude = 2.0, .loss = 4.0});
  EXPECT_EQ(cycle.amplitude, 1.0);
  EXPECT_EQ(cycle.centre, 2.0);
  EXPECT_EQ(cycle.secant_stiffness, 2.0);
  EXPECT_DOUBLE_EQ(cycle.damping_ratio, std::numbers::inv_pi);  // D/(2π X² K_s)
  EXPECT_TRUE(std::isnan(cycle.phase));
  const PointNumbers of_two_periods = scan::completed({.most_x = 3.0,
                                                       .least_x = 1.0,
                                                       .restoring_amplitude = 2.0,
                                                       .loss = 4.0,
                                                       .period_multiple = 2.0});
  EXPECT_DOUBLE_EQ(of_two_periods.damping_ratio, std::numbers::inv_pi / 2);
}

/// All of a point but its seconds, bit for bit.
std::vector<std::uint64_t> bits(const ScanPoint& point) {
  PointNumbers numbers = point.numbers;
  numbers.seconds = 0.0;
  const auto plain = std::bit_cast<std::array<double, sizeof(numbers) / sizeof(double)>>(numbers);
  std::vector<std::uint64_t> all;
  for (const auto& part : {std::span<const double>(plain), std::span<const double>(point.series)}) {
    for (const double number : part) {
      all.push_back(std::bit_cast<std::uint64_t>(number));
    }
  }
  return all;
}

/// Amplitudes and frequencies; one point fails.
ScanSpec grid(scan::ScanKind kind) {
  return {.axes = {{"a", {0.01, 0.5}}, {"w", {0.4, 1.1, 1.9}}},
          .kind = kind,
          .keep_series = true,
          .quiet = true};
}
scan::ScanProblem grid_problem(std::span<const double> values) {
  if (values[0] == 0.5 && values[1] == 0.4) {
    throw base::UserError("threshold", "made up");
  }
  made_up::Point point = made_up::cosine(values[0], values[1]);
  point.periods = 4;
  point.steps_a_period = 100;
  return made_up::problem(point);
}

TEST(Points, have_the_same_bits_on_any_ranks_and_failures_leave_the_others_alone) {
  for (const auto kind : {scan::ScanKind::runs, scan::ScanKind::steady}) {
    const Scan dealt = made_up::made(support::world(), grid(kind), grid_problem);
    const Scan by_one = made_up::made(support::alone(), grid(kind), grid_problem);
    ASSERT_EQ(dealt.points.size(), 6U);
    EXPECT_EQ(dealt.failed(), 1);
    for (std::size_t i = 0; i < dealt.points.size(); ++i) {
      const ScanPoint& point = dealt.points[i];
      ScanPoint expected = by_one.points[i];
      if (!support::world().is_root()) {
        expected.series.clear();
      }
      const bool fails = i == 3;  // the last axis varies fastest
      EXPECT_EQ(point.has_failed(), fails) << i;
      EXPECT_EQ(point.message, fails ? "threshold: made up" : "") << i;
      EXPECT_EQ(point.series.empty(), fails || !support::world().is_root()) << i;
      EXPECT_EQ(std::isnan(point.numbers.amplitude), fails) << i;
      EXPECT_EQ(bits(point), bits(expected)) << i;
    }
  }
}

TEST(Points, of_runs_are_the_linear_oscillators_far_below_yielding) {
  const made_up::Point point = made_up::cosine(0.01, 0.7);
  const ScanSpec spec{.axes = {{"a", {1.0}}}, .quiet = true};
  const auto problem = [&](auto) { return made_up::problem(point); };
  const PointNumbers run = made_up::made(support::world(), spec, problem).points.front().numbers;
  const std::complex<double> stiffness = made_up::stiffness(point);
  const double amplitude = 0.01 / std::abs(stiffness);
  // Of 30 periods exp(-ct/2) leaves 3e-18; samples miss an extreme by up to (2π/1000)²/8.
  EXPECT_NEAR(run.amplitude, amplitude, 5e-6 * amplitude);
  // The trapezoidal rule over a period is exact but for rounding.
  EXPECT_NEAR(run.phase, std::arg(stiffness), 1e-9);
  EXPECT_NEAR(run.loss, 0.0, 1e-9 * amplitude * amplitude);
  EXPECT_TRUE(std::isnan(run.settled));
}

TEST(Points, of_closed_curves_are_one_task_of_all_amplitudes) {
  int asked = 0;
  const ScanSpec spec{.axes = {{"w", {0.5}}, {"X", {0.05, 0.3}}},
                      .kind = scan::ScanKind::closed_curves,
                      .quiet = true};
  const Scan made = made_up::made(support::alone(), spec, [&](std::span<const double> values) {
    ++asked;
    EXPECT_EQ(values.size(), 1U) << "without the amplitude";
    return made_up::problem(made_up::cosine(0.01, values[0]));
  });
  EXPECT_EQ(asked, 1);
  EXPECT_DOUBLE_EQ(made.points[0].numbers.secant_stiffness, 1.2) << "below 0.1 nothing yields";
  // k0 X + ∫ min(X, 0.1 + s) ds.
  EXPECT_NEAR(made.points[1].numbers.restoring_amplitude, 0.06 + 0.04 + 0.24, 1e-12);
  // D = 4 ∫ k η (X - η) ds over η < X, η = 0.1 + s: 4 (X³/6 - 0.1² X/2 + 0.1³/3).
  EXPECT_NEAR(made.points[1].numbers.loss, 4 * (0.027 / 6 - 0.0015 + 0.001 / 3), 1e-12);
}

TEST(Table, shows_what_is_not_usual_and_not_all_of_many_points) {
  const ScanSpec spec{.axes = {{"a", {}}}};
  Scan made;
  made.points.resize(63);
  for (ScanPoint& point : made.points) {
    point.values = {0.5};
    point.numbers.amplitude = 0.25;
  }
  made.points[0] = {.values = {1.5}, .message = "threshold: made up"};
  made.points[1].numbers.period_multiple = 3.0;
  made.points[1].numbers.settled = 0.01;
  const std::string table = scan::table(spec, made);
  EXPECT_NE(table.find("        1.5 failed: threshold: made up\n"), std::string::npos) << table;
  EXPECT_NE(table.find(" not settled 3 periods\n"), std::string::npos) << table;
  EXPECT_TRUE(table.ends_with("\n ... 3 more points\n")) << table;
  EXPECT_EQ(std::ranges::count(table, '\n'), 1 + 60 + 1);
}

}  // namespace masing::test_points
