// Limit cycles far below yielding against the complex amplitude a/(K - mω² + iωc) of the linear
// oscillator, and against the end of a long run; what cells that do not yield keep of the past.

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "scan/made_up.hpp"
#include "support/given.hpp"
#include "support/world.hpp"

namespace masing::test_limit_cycles {

using scan::Past;
using scan::PointNumbers;
using scan::ScanPoint;

/// The point after one that ended at `before`.
ScanPoint solved(scan::CycleSolver& solver, const made_up::Point& point,
                 const std::vector<double>& before = {}) {
  ScanPoint found;
  solver.find_limit_cycle(support::alone(), made_up::problem(point), before, found);
  return found;
}

PointNumbers from_rest(const made_up::Point& point) {
  const scan::ScanSpec spec;
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
  const scan::ScanSpec spec{.keep_series = true};
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
  const scan::ScanSpec spec{.keep_series = true};
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
  const scan::ScanSpec spec{.axes = {{"a", {1.0}}}, .files = {.quiet = true}};
  const auto problem = [&](auto) { return made_up::problem(point); };
  const PointNumbers run = made_up::made(support::alone(), spec, problem).points.front().numbers;
  EXPECT_LT(cycle.residual, 1e-10);
  // Of 12 periods exp(-ct/2) leaves 1e-10; samples miss an extreme by up to (2π/4000)²/8 of it.
  EXPECT_NEAR(cycle.most_x, run.most_x, 4e-7 * run.amplitude);
  EXPECT_NEAR(cycle.least_x, run.least_x, 4e-7 * run.amplitude);
}

TEST(LimitCycle, keeps_what_the_point_before_left_where_that_is_its_past) {
  const made_up::Point small = made_up::cosine(0.01, 0.5);
  const double amplitude = 0.01 / std::abs(made_up::stiffness(small));
  for (const bool is_from_rest : {true, false}) {
    const scan::ScanSpec spec{.past = is_from_rest ? Past::rest : Past::point};
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

}  // namespace masing::test_limit_cycles
