// Points of a scan by one rank: their numbers by hand, those that are added around a bend,
// restarts, lines on which each goes on from the one before, the table.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "base/error.hpp"
#include "scan/made_up.hpp"
#include "support/world.hpp"

namespace masing::test_lines {

using scan::PointNumbers;
using scan::ScanPoint;
using scan::ScanResult;
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

std::vector<double> places(const ScanResult& made) {
  std::vector<double> found;
  for (const ScanPoint& point : made.points) {
    found.push_back(point.values[0]);
  }
  return found;
}

TEST(Points, are_put_around_a_bend_in_six_rounds_and_nowhere_on_a_straight_line) {
  const ScanResult made = made_up::made(support::alone(), bent_line(), [](auto values) {
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
    EXPECT_EQ(std::ssize(made_up::made(support::alone(), spec, problem).points), count);
  }
}

TEST(Points, of_a_restart_are_those_that_were_left_and_that_failed_in_as_many_rounds) {
  const std::string path = "masing-points.checkpoint";
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
  const ScanResult made = made_up::made(support::alone(), spec, problem);
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
  const ScanResult made = made_up::made(support::alone(), spec, problem);
  ASSERT_EQ(made.points.size(), 6U);
  for (const std::size_t line : {0U, 3U}) {
    EXPECT_NEAR(made.points[line].numbers.centre, 0.0, 1e-12) << line;
    // Elastic about where the point of 0.6 left the cells that yield.
    EXPECT_GT(std::abs(made.points[line + 2].numbers.centre), 1e-3) << line;
  }
}

TEST(Points, of_a_line_that_is_stopped_are_computed_again_from_the_first_that_failed) {
  const std::string path = "masing-line.checkpoint";
  ScanSpec spec{.axes = {{"a", {0.6, 0.7, 0.01, 0.5}}},
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
  const ScanResult whole = made_up::made(support::alone(), spec, problem);
  spec.files.checkpoint.path = path;
  for (const auto& [fails, left] : {std::pair(0.0, std::vector{0.5}), {0.7, {0.7, 0.01, 0.5}}}) {
    failing = fails;
    stops = true;
    spec.files.checkpoint.restart.reset();
    EXPECT_THROW(made_up::made(support::alone(), spec, problem), base::Stopped);
    stops = false;
    asked.clear();
    spec.files.checkpoint.restart = path;
    const ScanResult resumed = made_up::made(support::alone(), spec, problem);
    EXPECT_EQ(asked, left);
    ASSERT_EQ(resumed.points.size(), whole.points.size());
    for (std::size_t i = 0; i < whole.points.size(); ++i) {
      EXPECT_EQ(resumed.points[i].series, whole.points[i].series) << i;
      EXPECT_EQ(resumed.points[i].numbers.centre, whole.points[i].numbers.centre) << i;
      EXPECT_EQ(resumed.points[i].numbers.loss, whole.points[i].numbers.loss) << i;
    }
  }
}

TEST(Points, of_closed_curves_follow_from_the_slab_alone) {
  const ScanSpec spec{.axes = {{"w", {0.5}}, {"X", {0.05, 0.3}}},
                      .kind = scan::ScanKind::closed_curves,
                      .files = {.quiet = true}};
  const ScanResult made = made_up::made(support::alone(), spec, [](std::span<const double> values) {
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
  ScanResult made;
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

}  // namespace masing::test_lines
