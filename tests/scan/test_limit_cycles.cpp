// Points of a scan by one rank: limit cycles far below yielding against the complex amplitude
// a/(K - mω² + iωc) of the linear oscillator and against the end of a long run, numbers by hand,
// restarts, the table.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>

#include "base/error.hpp"
#include "base/periodicity.hpp"
#include "scan/made_up.hpp"
#include "support/clamped_sliders.hpp"
#include "support/given.hpp"
#include "support/world.hpp"

namespace masing::test_limit_cycles {

using scan::PointNumbers;
using scan::ScanPoint;
using scan::ScanResult;
using scan::ScanSpec;

PointNumbers from_rest(const made_up::Point& point) {
  return scan::CycleSolver().find_limit_cycle(support::alone(), made_up::problem(point));
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

/// The lag of x behind each harmonic of F is that of the complex stiffness, whatever the force.
TEST(LimitCycle, lags_behind_forces_with_breaks_as_the_linear_oscillator_does) {
  for (const char* shape :
       {"triangle(t/(4*pi)+0.1)", "square(t/(4*pi))", "square(t/(4*pi)-0.3)+0.2",
        "sawtooth(t/(4*pi))", "1e-9*sawtooth(0.2-t/(4*pi))",
        "cos(0.5*t)+0.7*square(3*t/(4*pi)+0.4)", "square(t/(2*pi))*sin(0.5*t+1)"}) {
    const made_up::Point point{.force = std::string("0.01*(") + shape + ")"};
    scan::ScanProblem problem = made_up::problem(point);
    problem.force_breaks =
        base::breaks({{"force", problem.run.drive}}, base::horizon * *problem.period, {});
    const PointNumbers cycle = scan::CycleSolver().find_limit_cycle(support::alone(), problem);
    EXPECT_NEAR(cycle.phase, std::arg(made_up::stiffness(point)), 1e-8) << shape;
  }
}

/// The numbers of z = x - D t/τ over the last period, by leapfrog and clamped sliders.
PointNumbers integrated(const std::function<double(double)>& force, double period) {
  constexpr int steps = 20000;
  const double step = period / steps;
  std::vector<support::Slider> cells;
  for (const double eta : {0.1 + 1.0 / 3, 0.1 + 2.0 / 3, 1.1}) {
    cells.push_back({1.0 / 3, -eta, eta});
  }
  support::ClampedSliders<double> slab(cells);
  std::vector<double> x{0.0};
  std::vector<double> f{0.0};
  double y = 0.0;
  const double c = 0.3;
  for (std::int64_t i = 0; i < 60 * steps; ++i) {
    const double t = static_cast<double>(i % steps) * step;
    const double a = force(t) - c * y - f.back();
    const double d = step * y + step * step / 2 * a;
    const double turn = -y / a;
    if (turn > 0 && turn < step) {
      slab.move(y * turn / 2);
    }
    slab.move_to(x.back() + d);
    x.push_back(x.back() + d);
    f.push_back(slab.force());
    y = (y + step / 2 * (a + force(t + step) - f.back())) / (1 + step * c / 2);
  }
  const std::size_t begin = x.size() - steps - 1;
  const double drift = x.back() - x[begin];
  std::size_t least = begin;
  std::size_t most = begin;
  double loss = 0.0;
  std::complex<double> of_z;
  std::complex<double> of_force;
  for (std::size_t i = begin + 1; i < x.size(); ++i) {
    const double t = static_cast<double>(i - begin) * step;
    x[i] -= drift * t / period;
    least = x[i] < x[least] ? i : least;
    most = x[i] > x[most] ? i : most;
    loss += (x[i] - x[i - 1]) * (f[i] + f[i - 1]) / 2;
    of_z += std::polar(x[i], -2 * std::numbers::pi * t / period);
    of_force += force(t) * std::polar(1.0, -2 * std::numbers::pi * t / period);
  }
  PointNumbers numbers{.amplitude = (x[most] - x[least]) / 2,
                       .restoring_amplitude = (f[most] - f[least]) / 2,
                       .loss = loss,
                       .phase = std::arg(of_force / of_z),
                       .drift = drift};
  return scan::completed(numbers);
}

/// A cycle that drifts has the same numbers wherever it is cut.
TEST(LimitCycle, has_the_numbers_of_x_less_its_drift) {
  const double period = 4 * std::numbers::pi;
  const PointNumbers own = integrated(
      [](double t) { return 0.1 + 0.9 * std::sin(0.5 * t) + 0.5 * std::sin(t + 2); }, period);
  ASSERT_GT(std::abs(own.drift), 0.2 * own.amplitude);
  for (const double shift : {0.0, 1.3, 4.0, 9.0}) {
    const std::string t = "(t+" + base::to_text(shift) + ")";
    scan::ScanProblem problem = made_up::problem(
        {.force = "0.1+0.9*sin(0.5*" + t + ")+0.5*sin(" + t + "+2)", .periods = 60});
    auto& model = std::get<engine::Masing>(problem.run.model);
    model.oscillator.k0 = 0.0;
    model.slab.space = support::space_of(3);
    ScanSpec spec = made_up::steady({{"a", {1.0}}});
    for (const bool is_steady : {true, false}) {
      spec.is_steady = is_steady;
      const PointNumbers found =
          scan::make_scan(support::alone(), spec, [&](auto) { return problem; })
              .points.front()
              .numbers;
      // At an extreme of z, f changes by less than k D/τ times 6e-4 between two steps of the loop.
      EXPECT_NEAR(found.amplitude, own.amplitude, 1e-5) << shift;
      EXPECT_NEAR(found.restoring_amplitude, own.restoring_amplitude, 3e-4) << shift;
      EXPECT_NEAR(found.secant_stiffness, own.secant_stiffness, 1e-3) << shift;
      EXPECT_NEAR(found.damping_ratio, own.damping_ratio, 1e-3) << shift;
      EXPECT_NEAR(std::remainder(found.phase - own.phase, 2 * std::numbers::pi), 0.0, 1e-4)
          << shift;
      EXPECT_TRUE(std::isnan(found.centre));
    }
  }
}

TEST(LimitCycle, takes_two_periods_where_a_free_vibration_of_twice_the_period_stays) {
  // Nothing yields, nothing damps: x = c + f cos 2ωt + (x0 - c - f) cos ωt with ω² = k0 + ∫k = 1.2,
  // c = x0 ∫k/1.2, f = 0.05/(1.2 (1 - 4)), from x0 at rest.
  made_up::Point point = made_up::cosine(0.05, 2 * std::sqrt(1.2));
  point.damping = 0.0;
  scan::ScanProblem problem = made_up::problem(point);
  std::get<engine::Masing>(problem.run.model).oscillator.x0 = 0.03;
  const PointNumbers found = scan::CycleSolver().find_limit_cycle(support::alone(), problem);
  EXPECT_EQ(found.period_multiple, 2.0);
  const double forced = -0.05 / 3.6;
  const double free = 0.03 - 0.025 - forced;
  // At 4 f cos ωt = -(x0 - c - f), and at ωt = π.
  EXPECT_NEAR(found.most_x, 0.025 - forced - free * free / (8 * forced), 1e-11);
  EXPECT_NEAR(found.least_x, 0.025 + forced - free, 1e-11);
}

TEST(LimitCycle, is_not_half_a_period_mirrored_where_a_narrow_pulse_makes_the_force_uneven) {
  // F(t + τ/2) = -F(t) but for a pulse of two thousandths of the period, which no 32 values show
  // and which moves x by so little that its halves look alike.
  const made_up::Point point{
      .force = "2*cos(0.5*t)+0.02*exp((sin(0.5*t)-1)/1e-5)", .periods = 12, .steps_a_period = 4000};
  const PointNumbers cycle = from_rest(point);
  ScanSpec spec = made_up::steady({{"a", {1.0}}});
  spec.is_steady = false;
  const auto problem = [&](auto) { return made_up::problem(point); };
  const PointNumbers run = scan::make_scan(support::alone(), spec, problem).points.front().numbers;
  EXPECT_LT(cycle.residual, 1e-10);
  // Of 12 periods exp(-ct/2) leaves 1e-10; samples miss an extreme by up to (2π/4000)²/8 of it.
  EXPECT_NEAR(cycle.most_x, run.most_x, 4e-7 * run.amplitude);
  EXPECT_NEAR(cycle.least_x, run.least_x, 4e-7 * run.amplitude);
}

TEST(LimitCycle, is_refused_where_the_mass_comes_to_rest) {
  made_up::Point point = made_up::cosine(0.01, 0.5);
  point.force = "3";
  const std::string said = given::mistake([&] { from_rest(point); });
  EXPECT_TRUE(said.starts_with("no cycle found: ")) << said;
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

TEST(Points, of_a_restart_are_those_that_were_left_and_that_failed) {
  const std::string path = "masing-points.checkpoint";
  ScanSpec spec = made_up::steady({{"a", {0.004, 0.001, 0.002, 0.003}}});
  spec.files.checkpoint.path = path;
  std::vector<double> asked;
  bool is_first = true;
  const auto problem = [&](std::span<const double> values) {
    asked.push_back(values[0]);
    if (is_first && values[0] == 0.003) {
      throw base::Stopped("here");
    }
    if (is_first && values[0] == 0.001) {
      throw base::UserError("threshold", "made up");
    }
    return made_up::problem(made_up::cosine(values[0], 0.5));
  };
  EXPECT_THROW(scan::make_scan(support::alone(), spec, problem), base::Stopped);
  EXPECT_EQ(asked.size(), 4U);
  asked.clear();
  is_first = false;
  spec.files.checkpoint.restart = path;
  const ScanResult made = scan::make_scan(support::alone(), spec, problem);
  std::remove(path.c_str());
  EXPECT_EQ(made.points.size(), 4U);
  EXPECT_EQ(made.failed(), 0);
  EXPECT_EQ(asked, (std::vector{0.001, 0.003}));
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
