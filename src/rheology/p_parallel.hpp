#pragma once

#include <numeric>

#include "rheology/friction_oscillator.hpp"

namespace rheology {

/// n P-elements in parallel, which are one with k = Σ k_i and α = Σ α_i. State x, y.
/// Source: (2.24), rheological-models-2000.
struct PParallel : FrictionOscillator {
  static ModelInfo info() {
    return {.name = "p-parallel",
            .title = "n P-elements (spring and St-Venant element in parallel) in parallel",
            .equation = "m x'' + (Σ k_i) x + (Σ alpha_i) sigma(x') ∋ F",
            .parameters = {{"m", "mass", "1", 1, Range::positive},
                           {"n", "elements"},
                           {"k", "stiffnesses", "", per_element, Range::not_negative},
                           {"alpha", "friction thresholds", "", per_element, Range::not_negative}},
            .state = {{"x"}, {"y"}},
            .order = ">=0.5",
            .source = "(2.24), rheological-models-2000"};
  }

  explicit PParallel(const Values& values)
      : FrictionOscillator(values.number("m"), sum(values.list("k")), sum(values.list("alpha"))) {}

 private:
  static double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }
};

}  // namespace rheology
