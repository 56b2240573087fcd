// The hysteresis memory is the scheme cell by cell at another price: against the sweep, also with a
// deep stack.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/setup.hpp"
#include "support/problem.hpp"
#include "support/trajectory.hpp"
#include "support/world.hpp"

namespace masing::test_turning_points {

using slab::Rule;
using slab::Scheme;
using support::Trajectory;

double greatest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values) {
    most = std::max(most, std::abs(value));
  }
  return most;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0.0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
  }
  return most;
}

/// Equal to rounding: 1e-11 of the largest |x|, at least of 1, in x, y, F - m x'' and u.
void expect_equal(const Trajectory& memory, const Trajectory& sweep) {
  const double tolerance = 1e-11 * std::max(1.0, greatest(sweep.x));
  EXPECT_LE(distance(memory.x, sweep.x), tolerance);
  EXPECT_LE(distance(memory.y, sweep.y), tolerance);
  EXPECT_LE(distance(memory.restoring, sweep.restoring), tolerance);
  ASSERT_EQ(memory.fields.size(), sweep.fields.size());
  for (std::size_t i = 0; i < sweep.fields.size(); ++i) {
    EXPECT_LE(distance(memory.fields[i].u, sweep.fields[i].u), tolerance)
        << "u at step " << sweep.fields[i].step;
  }
}

void expect_equal_to_sweep(const support::Problem& problem,
                           const std::vector<std::int64_t>& field_steps) {
  const parallel::Communicator alone = support::alone();
  expect_equal(support::trajectory(alone, problem, engine::Method::turning_points, field_steps),
               support::trajectory(alone, problem, engine::Method::sweep, field_steps));
}

/// A forcing that dies away leaves hundreds of turning points; the blow at t = 300 wipes them out.
TEST(TurningPointEngine, KeepsADeepStackAndLosesItInOneExcursion) {
  for (const auto scheme : {Scheme::euler, Scheme::leapfrog}) {
    support::Problem problem =
        support::problem({.force = "t < 300 ? 0.6*exp(-0.02*t)*cos(4*t) : 2*(t-300)",
                          .oscillator = {.mass = 0.05, .k0 = 0.2},
                          .final_time = 301.0,
                          .steps = 60200,
                          .space = support::space_of(200)});
    problem.scheme = scheme;
    expect_equal_to_sweep(problem, {40000, 60000, 60200});
  }
}

TEST(TurningPointEngine, IsTheSweepWhateverVaries) {
  for (const auto rule : {Rule::right, Rule::midpoint}) {
    for (const auto scheme : {Scheme::euler, Scheme::leapfrog}) {
      support::Problem problem = support::forced(60, "(0.1+abs(s-0.4))*sin(12*s)");
      problem.scheme = scheme;
      problem.rule = rule;
      expect_equal_to_sweep(problem, {0, 7, 200, 401});
    }
  }
}

}  // namespace masing::test_turning_points
