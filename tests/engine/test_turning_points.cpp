// The hysteresis memory is the scheme cell by cell at another price: against the sweep on random
// problems and with a deep stack, the same bits on any number of ranks, and P = ∞ as the limit of
// finite P.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.hpp"
#include "base/text.hpp"
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

/// Random problems with k > 0, η ≥ γ > 0 and |u0| ≤ η: 0, c (η - γ) or c η with |c| ≤ 1, a wave, or
/// noise of its own in every cell.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  support::Data data() {
    const std::string eta = threshold();
    return {.stiffness = stiffness(),
            .threshold = eta,
            .initial_u = initial_u(eta),
            .force = force(),
            .oscillator = {.mass = within(0.5, 2.0),
                           .k0 = one_of(2) == 0 ? 0.0 : within(0.0, 0.5),
                           .x0 = one_of(2) == 0 ? 0.0 : within(-0.5, 0.5),
                           .y0 = within(-0.5, 0.5)},
            .final_time = within(10.0, 25.0),
            .steps = 500 + one_of(501),
            .space = support::space_of(1 + one_of(60))};
  }

 private:
  double within(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  std::int64_t one_of(std::int64_t count) {
    return std::uniform_int_distribution<std::int64_t>(0, count - 1)(random_);
  }
  std::string number(double low, double high) { return base::to_text(within(low, high)); }

  std::string stiffness() {
    const std::string mean = number(0.7, 1.5);
    return one_of(3) == 0 ? mean : mean + "+0.6*sin(" + number(1, 20) + "*s+" + number(0, 6) + ")";
  }

  std::string threshold() {
    least_ = number(0.02, 0.3);
    switch (one_of(5)) {
      case 0:
        return least_;  // all cells alike
      case 1:
        return least_ + "+" + number(0.1, 1.5) + "*s";
      case 2:
        return least_ + "+" + number(0.1, 1.5) + "*(1-s)^2";
      case 3:
        return least_ + "+" + number(0.1, 1.5) + "*abs(s-" + number(0, 1) + ")";
      default:
        return least_ + "+" + number(0.1, 1.0) + "*sin(" + number(1, 15) + "*s)^2";
    }
  }

  std::string initial_u(const std::string& eta) {
    switch (one_of(6)) {
      case 0:
        return "0";
      case 1:
        return (one_of(2) == 0 ? "-(" : "(") + eta + ")";  // the limits themselves
      case 2:
        return number(-1, 1) + "*(" + eta + ")*sin(" + number(5, 30) + "*s)";
      case 3:
        return "(" + eta + ")*sin(" + number(1e5, 2e5) + "*s)";
      case 4:
        return number(-1, 1) + "*(" + eta + ")";
      default:
        return number(-1, 1) + "*(" + eta + "-" + least_ + ")";
    }
  }

  std::string force() {
    const std::string slow =
        number(0.1, 1.5) + "*cos(" + number(0.3, 3) + "*t+" + number(0, 6) + ")";
    const std::string fast = number(0.0, 1.0) + "*sin(" + number(2, 12) + "*t)";
    switch (one_of(3)) {
      case 0:
        return slow + "+" + fast;
      case 1:
        return "(" + slow + "+" + fast + ")*exp(-" + number(0.1, 0.5) + "*t)";
      default:
        return fast + "+" + number(0.2, 1.0) + "*square(t/" + number(1, 5) + ")+" + number(-1, 1);
    }
  }

  std::mt19937_64 random_;
  std::string least_;
};

/// Every rank takes its part of the draws by itself.
TEST(TurningPointEngine, IsTheSweepOnRandomProblems) {
  constexpr int draws = 120;
  for (int seed = support::world().rank(); seed < draws; seed += support::world().size()) {
    const support::Data data = Draw(static_cast<std::uint64_t>(seed)).data();
    for (const auto rule : {Rule::right, Rule::midpoint}) {
      for (const auto scheme : {Scheme::euler, Scheme::leapfrog}) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", rule " +
                     (rule == Rule::right ? "right" : "midpoint") + ", scheme " +
                     (scheme == Scheme::euler ? "euler" : "leapfrog") + ", k = " + data.stiffness +
                     ", eta = " + data.threshold + ", u0 = " + data.initial_u +
                     ", F = " + data.force +
                     ", P = " + std::to_string(std::get<slab::Cells>(data.space).count));
        support::Problem problem = support::problem(data);
        problem.rule = rule;
        problem.scheme = scheme;
        const std::vector<std::int64_t> field_steps{0, 1, 40, 150, problem.time.steps};
        expect_equal(by_turning_points(support::alone(), problem, field_steps),
                     run(support::alone(), engine::Method::sweep, problem, field_steps));
        if (HasFailure()) {
          return;
        }
      }
    }
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

/// All ranks, or for P = ∞ this one by itself.
parallel::Communicator makers(const support::Problem& problem) {
  return problem.is_continuum() ? support::alone()
                                : parallel::Communicator(support::world().handle());
}

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

/// max |x_P - x_∞| over the steps, P cells against the continuum at equal N.
double space_error(std::int64_t cells, Rule rule, Scheme scheme, const Trajectory& limit) {
  support::Problem problem = support::problem({.force = "0.45*cos(0.5*t)",
                                               .final_time = 30.0,
                                               .steps = 3000,
                                               .space = support::space_of(cells),
                                               .rule = rule});
  problem.scheme = scheme;
  return distance(by_turning_points(support::alone(), problem).x, limit.x);
}

/// x_P - x_∞ ≈ C/P for rule right: P times the error is the same at P = 400 and 800, but for the
/// next order. For midpoint it is C/P² with a C that depends on where in its cell the front turns:
/// its mean over several P of a size is what stays.
TEST(Continuum, IsTheLimitOfFiniteCells) {
  for (const auto scheme : {Scheme::euler, Scheme::leapfrog}) {
    support::Problem problem = support::problem({.force = "0.45*cos(0.5*t)",
                                                 .final_time = 30.0,
                                                 .steps = 3000,
                                                 .space = support::space_of(0)});
    problem.scheme = scheme;
    const Trajectory limit = by_turning_points(support::alone(), problem);
    const double at_400 = space_error(400, Rule::right, scheme, limit) * 400;
    const double at_800 = space_error(800, Rule::right, scheme, limit) * 800;
    EXPECT_GT(at_800, 0.01);
    EXPECT_NEAR(at_400 / at_800, 1.0, 0.02);
    constexpr std::int64_t several = 16;
    double coarse = 0.0;
    double fine = 0.0;
    for (std::int64_t i = 0; i < several; ++i) {
      coarse += std::log2(space_error(100 + 3 * i, Rule::midpoint, scheme, limit)) / several;
      fine += std::log2(space_error(16 * (100 + 3 * i), Rule::midpoint, scheme, limit)) / several;
    }
    EXPECT_NEAR((coarse - fine) / 4, 2.0, 0.1);
    EXPECT_LT(coarse, std::log2(1e-3));
  }
}

}  // namespace masing::test_turning_points
