// Models that the papers show to be the same: their trajectories agree step by step, and from event
// to event, up to the rounding of different arithmetic.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "rheology/model_run.hpp"

namespace masing::test_equivalences {

using model_run::Parameters;
using model_run::State;

/// Loops that yield both ways, with reversals inside them.
double forcing(double t) {
  return 2.5 * std::sin(t) + std::sin(3.1 * t);
}

constexpr double final_time = 30;
constexpr int steps = 6000;

/// Columns of the state, or what they stand for, and the restoring force, at every step: of the
/// scheme and of the exact solution.
struct Trace {
  std::vector<double> values;
  double total_restoring = 0.0;  // Σ|f|, to see that there is a motion
};

using Look = std::function<double(const State&)>;

Look column(std::size_t c, double factor = 1.0) {
  return [c, factor](const State& state) { return factor * state[c]; };
}

Trace trace(const std::string& model, const Parameters& parameters,
            const std::vector<Look>& looks) {
  model_run::Run run(model, parameters);
  model_run::ExactRun exact(model, parameters, forcing, final_time);
  Trace made;
  const auto add = [&](const State& state, double restoring) {
    for (const Look& look : looks) {
      made.values.push_back(look(state));
    }
    made.values.push_back(restoring);
    made.total_restoring += std::abs(restoring);
  };
  model_run::advance(run, forcing, final_time, steps, [&](double t) {
    add(run.state, run.restoring);
    const State state = exact.at(t);
    add(state, exact.solution->restoring());
  });
  return made;
}

/// Some 6000 steps of rounding at 1e-16 of forces and positions of order ten.
constexpr double rounding = 1e-11;

void expect_near(const Trace& a, const Trace& b, double allowed = rounding) {
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_GT(a.total_restoring, steps * 0.1);
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    ASSERT_NEAR(a.values[i], b.values[i], allowed) << i;
  }
}

const Look x = column(0);
const Look y = column(1);

TEST(Equivalence, p_elements_in_parallel_are_one) {
  expect_near(trace("p-parallel",
                    {{"m", 2}, {"k", State{1, 0.5, 2}}, {"alpha", State{0.2, 0.3, 0.4}}}, {x, y}),
              trace("friction-oscillator", {{"m", 2}, {"k", 3.5}, {"alpha", 0.9}}, {x, y}));
}

TEST(Equivalence, chains_of_one_element_are_their_element) {
  const std::vector<Look> looks{x, y, column(2)};
  expect_near(trace("s-chain", {{"n", 1}, {"m", 2}, {"k", 3}, {"eta", 0.4}}, looks),
              trace("prandtl", {{"m", 2}, {"k", 3}, {"eta", 0.4}}, looks), 0.0);
  expect_near(trace("p-chain", {{"n", 1}, {"m", 2}, {"k", 3}, {"alpha", 0.4}}, {x, y}),
              trace("friction-oscillator", {{"m", 2}, {"k", 3}, {"alpha", 0.4}}, {x, y}));
}

TEST(Equivalence, s_elements_of_one_threshold_in_parallel_are_one) {
  const Parameters three{{"m", 2}, {"k0", 0.5}, {"k", State{1, 0.5, 1.5}}, {"eta", 0.4}};
  expect_near(trace("discrete-masing", three, {x, y, column(2), column(4)}),
              trace("prandtl", {{"m", 2}, {"k0", 0.5}, {"k", 3}, {"eta", 0.4}},
                    {x, y, column(2), column(2)}));
}

TEST(Equivalence, p_elements_and_a_spring_in_series_are_prandtl_with_hardening) {
  // v = -k0 u; k0' = k k0/(k + k0), k' = k0²/(k + k0), η = α/k0, for k0 = 2, α = 0.8 and k = 6,
  // or three elements of a third of its compliance each.
  const Trace prandtl =
      trace("prandtl", {{"m", 2}, {"k0", 1.5}, {"k", 0.5}, {"eta", 0.4}}, {x, y, column(2)});
  const Parameters one{{"n", 1}, {"m", 2}, {"k0", 2}, {"k", 6}, {"alpha", 0.8}};
  expect_near(trace("p-series", one, {x, y, column(2, -0.5)}), prandtl);
  for (std::size_t i = 2; i < 5; ++i) {
    const Parameters three{{"n", 3}, {"m", 2}, {"k0", 2}, {"k", 18}, {"alpha", 0.8}};
    expect_near(trace("p-series", three, {x, y, column(i, -0.5)}), prandtl);
  }
}

TEST(Equivalence, persoz_with_a_locked_bridge_is_its_branches_in_series) {
  // u1 = 0: what is left is two P-elements and k0, and W = (g2, g3, ...) their friction.
  const Parameters locked{{"m", 2},  {"k0", 2},       {"k1", 1.7},     {"k2", 6},
                          {"k3", 3}, {"alpha1", 1e6}, {"alpha2", 0.8}, {"alpha3", 0.5}};
  const Parameters series{{"m", 2}, {"k0", 2}, {"k", State{6, 3}}, {"alpha", State{0.8, 0.5}}};
  const std::vector<Look> looks{x, y, column(2), column(3)};
  expect_near(trace("persoz", locked, looks), trace("p-series", series, looks));
}

TEST(Equivalence, persoz_with_a_free_bridge_and_equal_branches_is_prandtl) {
  // Two S-elements (k, α) in parallel, in series with k0: k' = 2k k0/(2k + k0), α' = 2α.
  const Parameters free{{"m", 2},  {"k0", 2},     {"k1", 0},       {"k2", 3},
                        {"k3", 3}, {"alpha1", 0}, {"alpha2", 0.3}, {"alpha3", 0.3}};
  expect_near(trace("persoz", free, {x, y, column(2, -2.0)}),
              trace("prandtl", {{"m", 2}, {"k", 1.5}, {"eta", 0.4}}, {x, y, column(2, 1.5)}));
}

}  // namespace masing::test_equivalences
