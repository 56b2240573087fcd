// The hysteresis memory is the scheme cell by cell at another price: against the sweep,
// also with a deep stack, and the same bits on any number of ranks.

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
using support::same_bits;
using support::Trajectory;

Trajectory run(const parallel::Communicator& comm, engine::Method kind,
               const support::Problem& problem, const std::vector<std::int64_t>& field_steps = {}) {
  const slab::Profile profile = engine::checked_profile(comm, problem);
  const auto engine = engine::make_engine(comm, support::run_of(problem, kind), profile);
  return support::trajectory(comm, *engine, problem, field_steps);
}

Trajectory by_turning_points(const parallel::Communicator& comm, const support::Problem& problem,
                             const std::vector<std::int64_t>& field_steps = {}) {
  return run(comm, engine::Method::turning_points, problem, field_steps);
}

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
    const std::vector<std::int64_t> field_steps{40000, 60000, 60200};
    expect_equal(by_turning_points(support::alone(), problem, field_steps),
                 run(support::alone(), engine::Method::sweep, problem, field_steps));
  }
}

/// k, η and u0 all varying over s, η neither monotone nor smooth, yielding, reversals.
support::Problem forced(std::int64_t cells, Scheme scheme) {
  support::Problem problem =
      support::problem({.stiffness = "1+0.5*sin(3*s)",
                        .threshold = "0.1+abs(s-0.4)",
                        .initial_u = "(0.1+abs(s-0.4))*sin(12*s)",
                        .force = "0.45*cos(0.5*t)+0.1*sawtooth(t/3)",
                        .oscillator = {.mass = 0.9, .k0 = 0.03, .x0 = 0.2, .y0 = -0.1},
                        .final_time = 20.0,
                        .steps = 401,
                        .space = support::space_of(cells)});
  problem.scheme = scheme;
  if (problem.is_continuum()) {
    problem.space = slab::Continuum{2500};
  }
  return problem;
}

const std::vector<std::int64_t> some_steps{0, 7, 200, 401};

/// The same bits; `alone` has the whole field or this rank's part.
void expect_same_bits(const Trajectory& whole, const Trajectory& alone) {
  EXPECT_TRUE(same_bits(whole.x, alone.x));
  EXPECT_TRUE(same_bits(whole.y, alone.y));
  EXPECT_TRUE(same_bits(whole.restoring, alone.restoring));
  ASSERT_EQ(whole.fields.size(), alone.fields.size());
  for (std::size_t i = 0; i < whole.fields.size(); ++i) {
    const auto& mine = whole.fields[i];
    const auto first = alone.fields[i].u.begin() + (mine.range.first - alone.fields[i].range.first);
    EXPECT_TRUE(same_bits(mine.u, std::vector<double>(first, first + mine.range.size)))
        << "u at step " << mine.step;
  }
}

TEST(TurningPointEngine, IsTheSweepWhateverVaries) {
  for (const auto rule : {Rule::right, Rule::midpoint}) {
    for (const auto scheme : {Scheme::euler, Scheme::leapfrog}) {
      support::Problem problem = forced(60, scheme);
      problem.rule = rule;
      expect_equal(by_turning_points(support::alone(), problem, some_steps),
                   run(support::alone(), engine::Method::sweep, problem, some_steps));
    }
  }
}

TEST(TurningPointEngine, GivesTheSameBitsOnAnyNumberOfRanks) {
  for (const auto scheme : {Scheme::euler, Scheme::leapfrog}) {
    for (const std::int64_t cells : {1, 1025, 5000}) {
      SCOPED_TRACE("P = " + std::to_string(cells));
      const support::Problem problem = forced(cells, scheme);
      expect_same_bits(by_turning_points(support::world(), problem, some_steps),
                       by_turning_points(support::alone(), problem, some_steps));
    }
  }
}

}  // namespace masing::test_turning_points
