// Points of a scan: their numbers by hand, failures that leave the others alone, points that are
// added, restarts, the table.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

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

/// Amplitudes and frequencies; one point fails.
ScanSpec grid(scan::ScanKind kind) {
  return {.axes = {{"a", {0.01, 0.5}}, {"w", {0.4, 1.1, 1.9}}},
          .kind = kind,
          .keep_series = true,
          .files = {.quiet = true}};
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

TEST(Points, that_fail_leave_the_others_alone) {
  for (const auto kind : {scan::ScanKind::runs, scan::ScanKind::steady}) {
    const Scan dealt = made_up::made(support::world(), grid(kind), grid_problem);
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
  return {.axes = {{"a", {0.005, 0.01}}, {"w", {1.6, 0.6, 0.85, 1.1, 1.35}}},
          .kind = scan::ScanKind::steady,
          .resolve = resolve,
          .files = {.quiet = true}};
}
scan::ScanProblem line_problem(std::span<const double> values) {
  if (values[0] == 0.005 && values[1] == 1.1) {
    throw base::UserError("threshold", "made up");
  }
  return made_up::problem(made_up::cosine(values[0], values[1]));
}

TEST(Points, are_put_where_a_resonance_bends_until_no_middle_is_far_from_its_chord) {
  constexpr double resolve = 0.03;
  const Scan made = made_up::made(support::world(), lines(resolve), line_problem);
  std::vector<double> found;  // of the line that does not fail
  for (std::size_t i = 0; i < made.points.size(); ++i) {
    if (made.points[i].values[0] == 0.01) {
      found.push_back(made.points[i].values[1]);
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
  const auto [least, most] = std::pair(std::abs(response(1.6)) / 2, 0.01 / 0.3 / 1.07);
  for (std::size_t i = 1; i < found.size(); ++i) {
    const std::complex<double> before = response(found[i - 1]);
    const std::complex<double> after = response(found[i]);
    const std::complex<double> middle = response((found[i - 1] + found[i]) / 2);
    EXPECT_NEAR(std::abs(middle), (std::abs(before) + std::abs(after)) / 2,
                resolve * (most - least));
    EXPECT_NEAR(std::arg(middle), (std::arg(before) + std::arg(after)) / 2,
                resolve * std::numbers::pi);
  }
}

TEST(Points, that_are_put_between_others_are_ten_times_as_many_at_most) {
  ScanSpec spec = lines(1e-12);
  spec.axes[0].values = {0.01};
  EXPECT_EQ(made_up::made(support::world(), spec, line_problem).points.size(), 50U);
  spec.axes[1].values = {0.6, 0.601, 1.6};  // 3, 5, 9, 17, 30
  EXPECT_EQ(made_up::made(support::world(), spec, line_problem).points.size(), 30U);
  spec.resolve.reset();
  EXPECT_EQ(made_up::made(support::world(), spec, line_problem).points[2].values[1], 1.6);
}

/// A line whose X bends at one place: far below yielding X is as F, here as 1 + |v - 2|.
ScanSpec bent_line() {
  return {.axes = {{"v", {4.0, 0.0, 0.5, 2.0, 3.0}}},
          .kind = scan::ScanKind::steady,
          .resolve = 1e-4,
          .files = {.quiet = true}};
}
made_up::Point bent_point(double v) {
  return made_up::cosine(1e-3 * (1 + std::abs(v - 2)), 0.5);
}

/// Each of six rounds halves the distance of the next points on both sides, 1.5 and 1 at first.
std::vector<double> around_the_bend() {
  std::vector<double> expected{0.0, 0.5, 2.0, 3.0, 4.0};
  for (int round = 1; round <= 6; ++round) {
    const double part = std::ldexp(1.0, -round);
    expected.insert(expected.end(), {2 - 1.5 * part, 2 + part});
  }
  std::ranges::sort(expected);
  return expected;
}

std::vector<double> places(const Scan& made) {
  std::vector<double> found;
  for (const ScanPoint& point : made.points) {
    found.push_back(point.values[0]);
  }
  return found;
}

TEST(Points, are_put_around_a_bend_in_six_rounds_and_nowhere_on_a_straight_line) {
  const Scan made = made_up::made(support::world(), bent_line(), [](auto values) {
    return made_up::problem(bent_point(values[0]));
  });
  EXPECT_EQ(places(made), around_the_bend());
}

TEST(Points, are_put_where_the_phase_alone_bends_by_a_part_of_pi) {
  // X is 0.001 (1 + w); the phase is off its chord by less, a quarter or so, after each round.
  const auto response = [](double w) { return made_up::stiffness(made_up::cosine(1.0, w)); };
  const auto problem = [&](std::span<const double> values) {
    const double w = values[0];
    return made_up::problem(made_up::cosine(1e-3 * (1 + w) * std::abs(response(w)), w));
  };
  const auto phase = [&](double w) { return std::arg(response(w)); };
  const double off = phase(0.9) - (phase(0.8) + phase(1.0)) / 2;
  for (const auto& [part, count] : {std::pair(0.9, 5), {1.1, 3}}) {
    const ScanSpec spec{.axes = {{"w", {0.8, 0.9, 1.0}}},
                        .kind = scan::ScanKind::steady,
                        .resolve = part * std::abs(off) / std::numbers::pi,
                        .files = {.quiet = true}};
    EXPECT_EQ(std::ssize(made_up::made(support::world(), spec, problem).points), count);
  }
}

TEST(Points, of_a_restart_are_those_that_were_left_and_that_failed_in_as_many_rounds) {
  const std::string path = "masing-points-n" + std::to_string(support::world().size()) + "-" +
                           std::to_string(support::world().rank()) + ".checkpoint";
  ScanSpec spec = bent_line();
  spec.files.checkpoint.path = path;
  std::vector<double> asked;
  bool is_first = true;
  const auto problem = [&](std::span<const double> values) {
    asked.push_back(values[0]);
    if (is_first && values[0] == 2 + 1.0 / 64) {
      throw base::Stopped("here");
    }
    if (is_first && values[0] == 4) {
      throw base::UserError("threshold", "made up");
    }
    return made_up::problem(bent_point(values[0]));
  };
  EXPECT_THROW(made_up::made(support::alone(), spec, problem), base::Stopped);
  EXPECT_EQ(asked.size(), 17U) << "in the last round";
  asked.clear();
  is_first = false;
  spec.files.checkpoint.restart = path;
  const Scan made = made_up::made(support::alone(), spec, problem);
  std::remove(path.c_str());
  EXPECT_EQ(places(made), around_the_bend());
  EXPECT_EQ(made.failed(), 0);
  EXPECT_EQ(asked, (std::vector{2 + 1.0 / 64, 4.0}));
}

TEST(Points, of_a_line_go_on_from_the_one_before_and_each_line_begins_at_rest) {
  const ScanSpec spec{.axes = {{"w", {0.5, 0.6}}, {"a", {0.01, 0.6, 0.01}}},
                      .kind = scan::ScanKind::steady,
                      .past = scan::Past::point,
                      .files = {.quiet = true}};
  const auto problem = [](auto values) {
    return made_up::problem(made_up::cosine(values[1], values[0]));
  };
  const Scan made = made_up::made(support::alone(), spec, problem);
  ASSERT_EQ(made.points.size(), 6U);
  for (const std::size_t line : {0U, 3U}) {
    EXPECT_NEAR(made.points[line].numbers.centre, 0.0, 1e-12) << line;
    // Elastic about where the point of 0.6 left the cells that yield.
    EXPECT_GT(std::abs(made.points[line + 2].numbers.centre), 1e-3) << line;
  }
}

TEST(Points, of_a_line_that_is_stopped_are_computed_again_from_the_first_that_failed) {
  const std::string path = "masing-line-n" + std::to_string(support::world().size()) + "-" +
                           std::to_string(support::world().rank()) + ".checkpoint";
  ScanSpec spec{.axes = {{"a", {0.01, 0.6, 0.7, 0.01, 0.5}}},
                .kind = scan::ScanKind::steady,
                .past = scan::Past::point,
                .keep_series = true,
                .files = {.quiet = true}};
  std::vector<double> asked;
  bool stops = false;
  double failing = 0.0;
  const auto problem = [&](std::span<const double> values) {
    asked.push_back(values[0]);
    if (stops && values[0] == failing) {
      throw base::UserError("threshold", "made up");
    }
    if (stops && values[0] == 0.5) {
      throw base::Stopped("here");
    }
    return made_up::problem(made_up::cosine(values[0], 0.5));
  };
  const Scan whole = made_up::made(support::alone(), spec, problem);
  spec.files.checkpoint.path = path;
  for (const auto& [fails, left] : {std::pair(0.0, std::vector{0.5}), {0.7, {0.7, 0.01, 0.5}}}) {
    failing = fails;
    stops = true;
    spec.files.checkpoint.restart.reset();
    EXPECT_THROW(made_up::made(support::alone(), spec, problem), base::Stopped);
    stops = false;
    asked.clear();
    spec.files.checkpoint.restart = path;
    const Scan resumed = made_up::made(support::alone(), spec, problem);
    EXPECT_EQ(asked, left);
    ASSERT_EQ(resumed.points.size(), whole.points.size());
    for (std::size_t i = 0; i < whole.points.size(); ++i) {
      EXPECT_EQ(resumed.points[i].series, whole.points[i].series) << i;
      EXPECT_EQ(resumed.points[i].numbers.centre, whole.points[i].numbers.centre) << i;
      EXPECT_EQ(resumed.points[i].numbers.loss, whole.points[i].numbers.loss) << i;
    }
  }
}

TEST(Points, of_runs_are_the_linear_oscillators_far_below_yielding) {
  const made_up::Point point = made_up::cosine(0.01, 0.7);
  const ScanSpec spec{.axes = {{"a", {1.0}}}, .files = {.quiet = true}};
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

TEST(Points, of_closed_curves_follow_from_the_slab_alone) {
  const ScanSpec spec{.axes = {{"w", {0.5}}, {"X", {0.05, 0.3}}},
                      .kind = scan::ScanKind::closed_curves,
                      .files = {.quiet = true}};
  const Scan made = made_up::made(support::alone(), spec, [](std::span<const double> values) {
    EXPECT_EQ(values.size(), 1U) << "without the amplitude";
    return made_up::problem(made_up::cosine(0.01, values[0]));
  });
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
