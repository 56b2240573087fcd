// Models that the papers show to be the same: their trajectories agree step by step, and from event
// to event, up to the rounding of different arithmetic.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "rheology/exact_run.hpp"
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
  exact_run::ExactRun exact(model, parameters, forcing, final_time);
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
    add(state, exact.solution.restoring());
  });
  return made;
}

double distance(const Trace& a, const Trace& b) {
  EXPECT_EQ(a.values.size(), b.values.size());
  EXPECT_GT(a.total_restoring, steps * 0.1);
  double farthest = 0.0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    farthest = std::max(farthest, std::abs(a.values[i] - b.values[i]));
  }
  return farthest;
}

/// Some 6000 steps of rounding at 1e-16 of forces and positions of order ten.
constexpr double rounding = 1e-11;

const Look x = column(0);
const Look y = column(1);

TEST(Equivalence, p_elements_in_parallel_are_one) {
  const Trace many = trace(
      "p-parallel", {{"m", 2}, {"k", State{1, 0.5, 2}}, {"alpha", State{0.2, 0.3, 0.4}}}, {x, y});
  const Trace one = trace("friction-oscillator", {{"m", 2}, {"k", 3.5}, {"alpha", 0.9}}, {x, y});
  EXPECT_LT(distance(many, one), rounding);
}

TEST(Equivalence, chains_of_one_element_are_their_element) {
  EXPECT_EQ(
      distance(trace("s-chain", {{"n", 1}, {"m", 2}, {"k", 3}, {"eta", 0.4}}, {x, y, column(2)}),
               trace("prandtl", {{"m", 2}, {"k", 3}, {"eta", 0.4}}, {x, y, column(2)})),
      0.0);
  EXPECT_LT(distance(trace("p-chain", {{"n", 1}, {"m", 2}, {"k", 3}, {"alpha", 0.4}}, {x, y}),
                     trace("friction-oscillator", {{"m", 2}, {"k", 3}, {"alpha", 0.4}}, {x, y})),
            rounding);
}

TEST(Equivalence, s_elements_of_one_threshold_in_parallel_are_one) {
  EXPECT_LT(distance(trace("discrete-masing",
                           {{"m", 2}, {"k0", 0.5}, {"k", State{1, 0.5, 1.5}}, {"eta", 0.4}},
                           {x, y, column(2), column(4)}),
                     trace("prandtl", {{"m", 2}, {"k0", 0.5}, {"k", 3}, {"eta", 0.4}},
                           {x, y, column(2), column(2)})),
            rounding);
}

TEST(Equivalence, one_p_element_and_a_spring_in_series_are_prandtl_with_hardening) {
  // v = -k0 u; k0' = k k0/(k + k0), k' = k0²/(k + k0), η = α/k0, for k0 = 2, k = 6, α = 0.8.
  EXPECT_LT(distance(trace("p-series", {{"n", 1}, {"m", 2}, {"k0", 2}, {"k", 6}, {"alpha", 0.8}},
                           {x, y, column(2, -0.5)}),
                     trace("prandtl", {{"m", 2}, {"k0", 1.5}, {"k", 0.5}, {"eta", 0.4}},
                           {x, y, column(2)})),
            rounding);
}

TEST(Equivalence, equal_p_elements_in_series_are_one_of_their_compliance) {
  EXPECT_LT(distance(trace("p-series", {{"n", 3}, {"m", 2}, {"k0", 2}, {"k", 6}, {"alpha", 0.8}},
                           {x, y, column(2), column(3), column(4)}),
                     trace("p-series", {{"n", 1}, {"m", 2}, {"k0", 2}, {"k", 2}, {"alpha", 0.8}},
                           {x, y, column(2), column(2), column(2)})),
            rounding);
}

TEST(Equivalence, persoz_with_a_locked_bridge_is_its_branches_in_series) {
  // u1 = 0: what is left is two P-elements and k0, and W = (g2, g3, ...) their friction.
  EXPECT_LT(distance(trace("persoz",
                           {{"m", 2},
                            {"k0", 2},
                            {"k1", 1.7},
                            {"k2", 6},
                            {"k3", 3},
                            {"alpha1", 1e6},
                            {"alpha2", 0.8},
                            {"alpha3", 0.5}},
                           {x, y, column(2), column(3)}),
                     trace("p-series",
                           {{"m", 2}, {"k0", 2}, {"k", State{6, 3}}, {"alpha", State{0.8, 0.5}}},
                           {x, y, column(2), column(3)})),
            rounding);
}

TEST(Equivalence, persoz_with_a_free_bridge_and_equal_branches_is_prandtl) {
  // Two S-elements (k, α) in parallel, in series with k0: k' = 2k k0/(2k + k0), α' = 2α.
  EXPECT_LT(
      distance(trace("persoz",
                     {{"m", 2},
                      {"k0", 2},
                      {"k1", 0},
                      {"k2", 3},
                      {"k3", 3},
                      {"alpha1", 0},
                      {"alpha2", 0.3},
                      {"alpha3", 0.3}},
                     {x, y, column(2, -2.0)}),
               trace("prandtl", {{"m", 2}, {"k", 1.5}, {"eta", 0.4}}, {x, y, column(2, 1.5)})),
      rounding);
}

}  // namespace masing::test_equivalences
