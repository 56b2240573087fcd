// Points of a scan by one rank: limit cycles far below yielding against the complex amplitude
// a/(K - mω² + iωc) of the linear oscillator and against the end of a long run, numbers by hand,
// restarts, the table.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <filesystem>
#include <numbers>

#include "base/error.hpp"
#include "scan/made_up.hpp"
#include "support/world.hpp"

namespace masing::test_limit_cycles {

using scan::PointNumbers;
using scan::ScanPoint;
using scan::ScanResult;

/// The numbers of the first point.
PointNumbers numbers_of(const std::string& options) {
  const ScanPoint point = made_up::points(support::alone(), made_up::scan(options)).points.front();
  EXPECT_EQ(point.message, "") << options;
  return point.numbers;
}

TEST(LimitCycle, is_the_linear_oscillators_far_below_yielding) {
  // Newton's method closes the cycle to 1e-11 of its range.
  constexpr double closed = 1e-10;
  const cli::Scan scan = made_up::scan("steady; force=0.01*cos(w*t); over w=0.3,1,1.0954,2.5");
  const ScanResult made = made_up::points(support::alone(), scan);
  for (std::int64_t point = 0; point < std::ssize(made.points); ++point) {
    const PointNumbers& cycle = made.points[static_cast<std::size_t>(point)].numbers;
    const std::complex<double> stiffness = made_up::stiffness(made_up::value_at(scan, point));
    const double amplitude = 0.01 / std::abs(stiffness);
    EXPECT_NEAR(cycle.amplitude, amplitude, closed * amplitude);
    EXPECT_NEAR(cycle.centre, 0.0, closed * amplitude);
    EXPECT_NEAR(cycle.secant_stiffness, 1.2, 10 * closed);
    EXPECT_EQ(cycle.period_multiple, 1.0);
  }
}

/// The lag of x behind each harmonic of F is that of the complex stiffness, whatever the force.
TEST(LimitCycle, lags_behind_forces_with_breaks_as_the_linear_oscillator_does) {
  for (const std::string shape :
       {"triangle(t/(4*pi)+0.1)", "square(t/(4*pi))", "square(t/(4*pi)-0.3)+0.2",
        "sawtooth(t/(4*pi))", "1e-9*sawtooth(0.2-t/(4*pi))",
        "cos(0.5*t)+0.7*square(3*t/(4*pi)+0.4)", "square(t/(2*pi))*sin(0.5*t+1)"}) {
    EXPECT_NEAR(numbers_of("steady; over a=0.01; force=a*(" + shape + ")").phase,
                std::arg(made_up::stiffness(0.5)), 1e-8)
        << shape;
  }
}

/// Wherever a cycle that drifts is cut, and whether it is found by Newton's method or by a run.
TEST(LimitCycle, has_the_numbers_of_x_less_its_drift) {
  const auto options = [](const std::string& shift) {
    return "over a=0.1; k0=0; cells=3; final-time=60*4*pi; steps=60000; let S=" + shift +
           "; force=a+0.9*sin(0.5*(t+S))+0.5*sin(t+S+2)";
  };
  const PointNumbers own = numbers_of("steady; " + options("0"));
  ASSERT_GT(std::abs(own.drift), 0.2 * own.amplitude);
  for (const char* shift : {"1.3", "4", "9"}) {
    for (const char* way : {"steady; ", ""}) {
      const PointNumbers found = numbers_of(way + options(shift));
      // The parabola at an extreme of z leaves h³ = 2e-6, the trapezoidal rule h² = 1.6e-4; there f
      // changes by less than k D/τ times 6e-4 between two steps of the loop.
      EXPECT_NEAR(found.amplitude, own.amplitude, 2e-6) << shift;
      EXPECT_NEAR(found.restoring_amplitude, own.restoring_amplitude, 3e-4) << shift;
      EXPECT_NEAR(found.secant_stiffness, own.secant_stiffness, 1.6e-4) << shift;
      EXPECT_NEAR(found.damping_ratio, own.damping_ratio, 1.6e-4) << shift;
      EXPECT_NEAR(std::remainder(found.phase - own.phase, 2 * std::numbers::pi), 0.0, 1.6e-4)
          << shift;
      EXPECT_TRUE(way[0] == '\0' || std::abs(found.drift - own.drift) < 1e-10) << found.drift;
      EXPECT_TRUE(std::isnan(found.centre));
    }
  }
}

/// The period 4π is 100.53 steps. The lag is that of the steps' motion, whose error is about
/// (ωδt)²/24 = 2e-4; a beginning that is half a step off changes it by part of 2π/100.
TEST(LimitCycle, of_a_run_may_begin_between_two_steps) {
  const PointNumbers cycle = numbers_of(
      "over a=0.01; force=a*cos(0.5*t); final-time=500; steps=4000; scheme=leapfrog; "
      "engine=memory");
  EXPECT_NEAR(cycle.phase, std::arg(made_up::stiffness(0.5)), 6e-4);
}

/// After six periods exp(-0.15 t) of the transient is left, without a k0 that would end a drift.
TEST(LimitCycle, has_a_centre_where_it_hardly_drifts) {
  const PointNumbers cycle =
      numbers_of("over a=0.01; k0=0; final-time=6*4*pi; steps=6000; force=a*cos(0.5*t)");
  EXPECT_DOUBLE_EQ(cycle.centre, (cycle.most_x + cycle.least_x) / 2);
}

TEST(LimitCycle, takes_two_periods_where_a_free_vibration_of_twice_the_period_stays) {
  // Nothing yields, nothing damps: x = c + f cos 2ωt + (x0 - c - f) cos ωt with ω² = k0 + ∫k = 1.2,
  // c = x0 ∫k/1.2, f = 0.05/(1.2 (1 - 4)), from x0 at rest.
  const PointNumbers found =
      numbers_of("steady; damping=0; x0=0.03; over a=0.05; force=a*cos(2*sqrt(1.2)*t)");
  EXPECT_EQ(found.period_multiple, 2.0);
  const double forced = -0.05 / 3.6;
  const double free = 0.03 - 0.025 - forced;
  // At 4 f cos ωt = -(x0 - c - f), and at ωt = π.
  EXPECT_NEAR(found.most_x, 0.025 - forced - free * free / (8 * forced), 1e-11);
  EXPECT_NEAR(found.least_x, 0.025 + forced - free, 1e-11);
}

TEST(LimitCycle, is_refused_where_the_mass_comes_to_rest) {
  const ScanResult made =
      made_up::points(support::alone(), made_up::scan("steady; over a=3; force=a; period=4*pi"));
  EXPECT_TRUE(made.points[0].message.starts_with("no cycle found: ")) << made.points[0].message;
}

TEST(PointNumbers, follow_from_amplitudes_and_loss) {
  PointNumbers of_cycle{.amplitude = 1.0, .restoring_amplitude = 2.0, .loss = 4.0};
  const PointNumbers cycle = scan::completed(of_cycle);
  EXPECT_EQ(cycle.secant_stiffness, 2.0);
  EXPECT_DOUBLE_EQ(cycle.damping_ratio, std::numbers::inv_pi);  // D/(2π X² K_s)
  EXPECT_TRUE(std::isnan(cycle.phase));
  of_cycle.period_multiple = 2.0;
  EXPECT_DOUBLE_EQ(scan::completed(of_cycle).damping_ratio, std::numbers::inv_pi / 2);
}

/// Where nothing yields, ∫ f dx = K (x² - x₀²)/2, for the trapezoidal rule, too.
TEST(Points, without_a_period_have_the_work_of_their_window) {
  const cli::Scan made = made_up::scan(
      "force=a*t; over a=0.001; final-time=10; steps=100; from=3; sample-every=1; keep=series");
  const ScanPoint point = made_up::points(support::alone(), made).points[0];
  ASSERT_EQ(point.series.size(), 71U * 5);
  const double first = point.series[1];
  const double last = point.series[70 * 5 + 1];
  EXPECT_NEAR(point.numbers.loss, 0.6 * (last * last - first * first), 1e-15);
  EXPECT_EQ(point.numbers.last_x, last);
  EXPECT_TRUE(std::isnan(point.numbers.phase));
}

TEST(Points, of_a_restart_are_those_that_were_left_and_that_failed) {
  const std::string path = "masing-points.checkpoint";
  cli::Scan made = made_up::scan("steady; over a=0.004,0.001,0.002,0.003; force=a*cos(0.5*t)");
  made.spec.files.checkpoint.path = path;
  std::vector<double> asked;
  bool is_first = true;
  const auto problem = [&](std::int64_t point) {
    asked.push_back(made_up::value_at(made, point));
    if (is_first && asked.back() == 0.003) {
      throw base::Stopped("here");
    }
    if (is_first && asked.back() == 0.001) {
      throw base::UserError("threshold", "made up");
    }
    return cli::problem_at(made, point);
  };
  EXPECT_THROW(scan::make_scan(support::alone(), made.spec, problem), base::Stopped);
  EXPECT_EQ(asked.size(), 4U);
  asked.clear();
  is_first = false;
  made.spec.files.checkpoint.restart = path;
  const ScanResult result = scan::make_scan(support::alone(), made.spec, problem);
  std::remove(path.c_str());
  EXPECT_EQ(result.points.size(), 4U);
  EXPECT_EQ(result.failed(), 0);
  EXPECT_EQ(asked, (std::vector{0.001, 0.003}));
}

/// From the last checkpoint before the second point, which is within the first: one is written
/// after every 20 ms, much less than a run.
TEST(Points, go_on_within_a_run_with_the_same_numbers) {
  for (cli::Scan made :
       {made_up::scan("force=a*cos(0.5*t); over a=0.5,0.9; final-time=8*pi; steps=8000; from=pi",
                      "cells=20000; engine=sweep; damping=0.3; scheme=leapfrog"),
        made_up::scan("force=a*cos(t); over a=0.5,0.9; final-time=10; steps=8000; from=1",
                      "model=masing-chain; set n=200; set m=1; set k=1; set eta=0.2; cells=inf")}) {
    made.spec.keep_series = true;
    const ScanResult expected = made_up::points(support::alone(), made);
    const std::string path = "masing-run-of-points.checkpoint";
    made.spec.files.checkpoint = {
        .path = path, .scheduled = true, .distance = std::chrono::seconds(0)};
    const auto problem = [&](std::int64_t point) {
      if (made_up::value_at(made, point) == 0.9) {
        std::filesystem::rename(path, "within." + path);
        throw base::Stopped("here");
      }
      return cli::problem_at(made, point);
    };
    EXPECT_THROW(scan::make_scan(support::alone(), made.spec, problem), base::Stopped);
    made.spec.files.checkpoint = {.restart = "within." + path};
    const ScanResult found = made_up::points(support::alone(), made);
    std::remove(path.c_str());
    std::remove(made.spec.files.checkpoint.restart->c_str());
    for (std::size_t i = 0; i < 2; ++i) {
      made_up::expect_same(found.points[i], expected.points[i]);
      EXPECT_EQ(found.points[i].series, expected.points[i].series);
    }
  }
}

TEST(Table, shows_what_is_not_usual_and_not_all_of_many_points) {
  ScanResult made{.points = std::vector<ScanPoint>(63)};
  made.points[0] = {.message = "threshold: made up"};
  made.points[1].numbers.period_multiple = 3.0;
  made.points[1].numbers.settled = 0.01;
  std::vector<double> values(63, 0.5);
  values[0] = 1.5;
  const std::string table =
      scan::table({.points = {.columns = {{.name = "a", .values = values}}}}, made);
  EXPECT_NE(table.find("        1.5 failed: threshold: made up\n"), std::string::npos) << table;
  EXPECT_NE(table.find(" not settled 3 periods\n"), std::string::npos) << table;
  EXPECT_TRUE(table.ends_with("\n ... 3 more points\n")) << table;
  EXPECT_EQ(std::ranges::count(table, '\n'), 1 + 60 + 1);
}

}  // namespace masing::test_limit_cycles
