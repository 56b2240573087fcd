// Points of a scan by one rank: limit cycles far below yielding against the complex amplitude
// a/(K - mω² + iωc) of the linear oscillator and against the end of a long run, what cells that do
// not yield keep of the past, numbers by hand, points that are added around a bend, restarts, lines
// on which each goes on from the one before, the table.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "base/error.hpp"
#include "scan/made_up.hpp"
#include "support/given.hpp"
#include "support/world.hpp"

namespace masing::test_limit_cycles {

using scan::Past;
using scan::PointNumbers;
using scan::ScanPoint;
using scan::ScanResult;
using scan::ScanSpec;

/// The point after one that ended at `before`.
ScanPoint solved(scan::CycleSolver& solver, const made_up::Point& point,
                 const std::vector<double>& before = {}) {
  ScanPoint found;
  solver.find_limit_cycle(support::alone(), made_up::problem(point), before, found);
  return found;
}

PointNumbers from_rest(const made_up::Point& point) {
  const ScanSpec spec;
  scan::CycleSolver solver(spec);
  return solved(solver, point).numbers;
}

TEST(LimitCycle, is_the_linear_oscillators_far_below_yielding) {
  // Newton's method closes the cycle to 1e-11 of its range.
  constexpr double closed = 1e-10;
  for (const double frequency : {0.3, 1.0, 1.0954, 2.5}) {
    const made_up::Point point = made_up::cosine(0.01, frequency);
    const std::complex<double> stiffness = made_up::stiffness(point);
    const PointNumbers cycle = from_rest(point);
    const double amplitude = 0.01 / std::abs(stiffness);
    EXPECT_NEAR(cycle.amplitude, amplitude, closed * amplitude);
    EXPECT_NEAR(cycle.centre, 0.0, closed * amplitude);
    EXPECT_NEAR(cycle.phase, std::arg(stiffness), 10 * closed);
    EXPECT_NEAR(cycle.restoring_amplitude, 1.2 * amplitude, 2 * closed * amplitude);
    EXPECT_NEAR(cycle.secant_stiffness, 1.2, 10 * closed);
    EXPECT_NEAR(cycle.loss, 0.0, closed * amplitude * amplitude) << "nothing yields";
    EXPECT_EQ(cycle.frozen, 1.0);
    EXPECT_EQ(cycle.period_multiple, 1.0);
    // The motion beside the cycle decays as exp(-ct/2) while it oscillates.
    const double decay = std::exp(-point.damping / 2 * cycle.period);
    EXPECT_NEAR(std::abs(cycle.multipliers[0]), decay, 1e-6);
  }
}

TEST(LimitCycle, keeps_its_samples_where_asked_to) {
  const made_up::Point point = made_up::cosine(0.01, 0.5);
  const ScanSpec spec{.keep_series = true};
  scan::CycleSolver solver(spec);
  const std::vector<double> series = solved(solver, point).series;
  ASSERT_EQ(series.size(), 401U * 5U);  // 400 a period with both ends: t, x, y, F, k0 x + S
  const std::complex<double> amplitude = 0.01 / made_up::stiffness(point);
  for (std::size_t i = 0; i < series.size(); i += 5) {
    const std::complex<double> x = amplitude * std::polar(1.0, point.frequency * series[i]);
    EXPECT_NEAR(series[i + 1], x.real(), 1e-11);
    EXPECT_NEAR(series[i + 2], -point.frequency * x.imag(), 1e-11);
    EXPECT_NEAR(series[i + 3], 0.01 * std::cos(point.frequency * series[i]), 1e-15);
    EXPECT_NEAR(series[i + 4], 1.2 * x.real(), 1e-11);
  }
}

TEST(LimitCycle, takes_two_periods_where_a_free_vibration_of_twice_the_period_stays) {
  // Nothing yields, nothing damps: x = c + f cos 2ωt + (x0 - c - f) cos ωt with ω² = k0 + ∫k = 1.2,
  // c = x0 ∫k/1.2, f = 0.05/(1.2 (1 - 4)), from x0 at rest.
  made_up::Point point = made_up::cosine(0.05, 2 * std::sqrt(1.2));
  point.damping = 0.0;
  scan::ScanProblem problem = made_up::problem(point);
  std::get<engine::Masing>(problem.run.model).oscillator.x0 = 0.03;
  const ScanSpec spec{.keep_series = true};
  scan::CycleSolver solver(spec);
  ScanPoint found;
  solver.find_limit_cycle(support::alone(), problem, {}, found);
  EXPECT_EQ(found.numbers.period_multiple, 2.0);
  EXPECT_EQ(found.series.size(), (2 * 400U + 1) * 5);
  const double forced = -0.05 / 3.6;
  const double free = 0.03 - 0.025 - forced;
  // At 4 f cos ωt = -(x0 - c - f), and at ωt = π.
  EXPECT_NEAR(found.numbers.most_x, 0.025 - forced - free * free / (8 * forced), 1e-11);
  EXPECT_NEAR(found.numbers.least_x, 0.025 + forced - free, 1e-11);
}

TEST(LimitCycle, is_not_half_a_period_mirrored_where_a_narrow_pulse_makes_the_force_uneven) {
  // F(t + τ/2) = -F(t) but for a pulse of two thousandths of the period, which no 32 values show
  // and which moves x by so little that its halves look alike.
  const made_up::Point point{
      .force = "2*cos(0.5*t)+0.02*exp((sin(0.5*t)-1)/1e-5)", .periods = 12, .steps_a_period = 4000};
  const PointNumbers cycle = from_rest(point);
  ScanSpec spec = made_up::steady({{"a", {1.0}}});
  spec.kind = scan::ScanKind::runs;
  const auto problem = [&](auto) { return made_up::problem(point); };
  const PointNumbers run = scan::make_scan(support::alone(), spec, problem).points.front().numbers;
  EXPECT_LT(cycle.residual, 1e-10);
  // Of 12 periods exp(-ct/2) leaves 1e-10; samples miss an extreme by up to (2π/4000)²/8 of it.
  EXPECT_NEAR(cycle.most_x, run.most_x, 4e-7 * run.amplitude);
  EXPECT_NEAR(cycle.least_x, run.least_x, 4e-7 * run.amplitude);
}

TEST(LimitCycle, keeps_what_the_point_before_left_where_that_is_its_past) {
  const made_up::Point small = made_up::cosine(0.01, 0.5);
  const double amplitude = 0.01 / std::abs(made_up::stiffness(small));
  for (const bool is_from_rest : {true, false}) {
    const ScanSpec spec{.past = is_from_rest ? Past::rest : Past::point};
    scan::CycleSolver solver(spec);
    const ScanPoint large = solved(solver, made_up::cosine(0.6, 0.5));
    EXPECT_LT(large.numbers.frozen, 1.0);
    EXPECT_EQ(large.end.empty(), is_from_rest);
    const PointNumbers after = solved(solver, small, large.end).numbers;
    // Elastic about where the yielded cells left it: mean x is off, as ∫ k u ds at rest is not 0.
    EXPECT_NEAR(after.amplitude, amplitude, 1e-9 * amplitude);
    EXPECT_EQ(std::abs(after.centre) > 1e-3, !is_from_rest);
    EXPECT_EQ(after.frozen, 1.0);
    EXPECT_NEAR(solved(solver, small).numbers.centre, 0.0, 1e-12) << "without a past";
    if (is_from_rest) {
      EXPECT_EQ(after.amplitude, from_rest(small).amplitude);
    }
  }
}

TEST(LimitCycle, is_refused_where_the_mass_comes_to_rest) {
  made_up::Point point = made_up::cosine(0.01, 0.5);
  point.force = "3";
  const std::string said = given::mistake([&] { from_rest(point); });
  EXPECT_TRUE(said.starts_with("no cycle found: ")) << said;
}

TEST(PointNumbers, follow_from_extremes_restoring_force_and_loss) {
  PointNumbers of_cycle{.most_x = 3.0, .least_x = 1.0, .restoring_amplitude = 2.0, .loss = 4.0};
  const PointNumbers cycle = scan::completed(of_cycle);
  EXPECT_EQ(cycle.amplitude, 1.0);
  EXPECT_EQ(cycle.centre, 2.0);
  EXPECT_EQ(cycle.secant_stiffness, 2.0);
  EXPECT_DOUBLE_EQ(cycle.damping_ratio, std::numbers::inv_pi);  // D/(2π X² K_s)
  EXPECT_TRUE(std::isnan(cycle.phase));
  of_cycle.period_multiple = 2.0;
  EXPECT_DOUBLE_EQ(scan::completed(of_cycle).damping_ratio, std::numbers::inv_pi / 2);
}

/// A line whose X bends at one place: far below yielding X is as F, here as 1 + |v - 2|.
ScanSpec bent_line() {
  return made_up::steady({{"v", {4.0, 0.0, 0.5, 2.0, 3.0}}}, 1e-4);
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
  const ScanResult made = scan::make_scan(support::alone(), bent_line(), [](auto values) {
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
    const ScanSpec spec =
        made_up::steady({{"w", {0.8, 0.9, 1.0}}}, part * std::abs(off) / std::numbers::pi);
    EXPECT_EQ(std::ssize(scan::make_scan(support::alone(), spec, problem).points), count);
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
  EXPECT_THROW(scan::make_scan(support::alone(), spec, problem), base::Stopped);
  EXPECT_EQ(asked.size(), 17U) << "in the last round";
  asked.clear();
  is_first = false;
  spec.files.checkpoint.restart = path;
  const ScanResult made = scan::make_scan(support::alone(), spec, problem);
  std::remove(path.c_str());
  EXPECT_EQ(places(made), around_the_bend());
  EXPECT_EQ(made.failed(), 0);
  EXPECT_EQ(asked, (std::vector{2 + 1.0 / 64, 4.0}));
}

TEST(Points, of_a_line_go_on_from_the_one_before_and_each_line_begins_at_rest) {
  ScanSpec spec = made_up::steady({{"w", {0.5, 0.6}}, {"a", {0.01, 0.6, 0.01}}});
  spec.past = scan::Past::point;
  const auto problem = [](auto values) {
    return made_up::problem(made_up::cosine(values[1], values[0]));
  };
  const ScanResult made = scan::make_scan(support::alone(), spec, problem);
  ASSERT_EQ(made.points.size(), 6U);
  for (const std::size_t line : {0U, 3U}) {
    EXPECT_NEAR(made.points[line].numbers.centre, 0.0, 1e-12) << line;
    // Elastic about where the point of 0.6 left the cells that yield.
    EXPECT_GT(std::abs(made.points[line + 2].numbers.centre), 1e-3) << line;
  }
}

TEST(Points, of_a_line_that_is_stopped_are_computed_again_from_the_first_that_failed) {
  const std::string path = "masing-line.checkpoint";
  ScanSpec spec = made_up::steady({{"a", {0.6, 0.7, 0.01, 0.5}}});
  spec.past = scan::Past::point;
  spec.keep_series = true;
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
  const ScanResult whole = scan::make_scan(support::alone(), spec, problem);
  spec.files.checkpoint.path = path;
  for (const auto& [fails, left] : {std::pair(0.0, std::vector{0.5}), {0.7, {0.7, 0.01, 0.5}}}) {
    failing = fails;
    stops = true;
    spec.files.checkpoint.restart.reset();
    EXPECT_THROW(scan::make_scan(support::alone(), spec, problem), base::Stopped);
    stops = false;
    asked.clear();
    spec.files.checkpoint.restart = path;
    const ScanResult resumed = scan::make_scan(support::alone(), spec, problem);
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
  ScanSpec spec = made_up::steady({{"w", {0.5}}, {"X", {0.05, 0.3}}});
  spec.kind = scan::ScanKind::closed_curves;
  const ScanResult made =
      scan::make_scan(support::alone(), spec, [](std::span<const double> values) {
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

}  // namespace masing::test_limit_cycles
