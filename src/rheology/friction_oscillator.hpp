#pragma once

#include <numeric>

#include "rheology/friction.hpp"
#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"

namespace masing::rheology {

/// A mass on a spring and a St-Venant element in parallel (a P-element):
/// m x'' + k x + α σ(x') ∋ F. State x, y. Source: (2.1), rheological-models-2000.
struct FrictionOscillator {
  double mass;
  double stiffness;
  double bound;  ///< α

  static ModelInfo info() {
    return {.name = "friction-oscillator",
            .title = "one spring and one St-Venant element in parallel",
            .equation = "m x'' + k x + alpha sigma(x') ∋ F",
            .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                           {"k", "stiffness", Range::not_negative},
                           {"alpha", "friction threshold", Range::not_negative}},
            .state = {{"x"}, {"y"}},
            .order = ">=0.5",
            .source = "(2.1), rheological-models-2000"};
  }

  explicit FrictionOscillator(const ParameterValues& values)
      : FrictionOscillator(values.number("m"), values.number("k"), values.number("alpha")) {}
  FrictionOscillator(double m, double k, double alpha) : mass(m), stiffness(k), bound(alpha) {}

  void drift(const TimeStep& now, std::span<const double> state, std::span<double> rate) const {
    rate[0] = state[1];
    rate[1] = (now.force - stiffness * state[0]) / mass;
  }
  [[nodiscard]] double resolve(const TimeStep& now, std::span<double> state) const {
    return slide_on_ground(mass, bound, now.step, state[1]);
  }
  [[nodiscard]] double restoring(std::span<const double> state, double friction) const {
    return stiffness * state[0] + friction;
  }
};

/// n P-elements in parallel, which are one with k = Σ k_i and α = Σ α_i. State x, y.
/// Source: (2.24), rheological-models-2000.
struct PParallel : FrictionOscillator {
  static ModelInfo info() {
    return {.name = "p-parallel",
            .title = "n P-elements (spring and St-Venant element in parallel) in parallel",
            .equation = "m x'' + (Σ k_i) x + (Σ alpha_i) sigma(x') ∋ F",
            .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                           {"n", "elements"},
                           {"k", "stiffnesses", Range::not_negative, per_element},
                           {"alpha", "friction thresholds", Range::not_negative, per_element}},
            .state = {{"x"}, {"y"}},
            .order = ">=0.5",
            .source = "(2.24), rheological-models-2000"};
  }

  explicit PParallel(const ParameterValues& values)
      : FrictionOscillator(values.number("m"), sum(values.list("k")), sum(values.list("alpha"))) {}

 private:
  static double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }
};

}  // namespace masing::rheology
