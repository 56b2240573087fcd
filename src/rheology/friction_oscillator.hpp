#pragma once

#include <algorithm>

#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"
#include "rheology/soft_threshold.hpp"

namespace rheology {

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
            .parameters = {{"m", "mass", "1", 1, Range::positive},
                           {"k", "stiffness", "", 1, Range::not_negative},
                           {"alpha", "friction threshold", "", 1, Range::not_negative}},
            .state = {{"x"}, {"y"}},
            .order = ">=0.5",
            .source = "(2.1), rheological-models-2000"};
  }

  explicit FrictionOscillator(const Values& values)
      : FrictionOscillator(values.number("m"), values.number("k"), values.number("alpha")) {}
  FrictionOscillator(double m, double k, double alpha) : mass(m), stiffness(k), bound(alpha) {}

  void drift(const Instant& now, std::span<const double> state, std::span<double> rate) const {
    rate[0] = state[1];
    rate[1] = (now.force - stiffness * state[0]) / mass;
  }
  [[nodiscard]] double resolve(const Instant& now, std::span<double> state) const {
    const double friction = std::clamp(mass * state[1] / now.step, -bound, bound);
    state[1] = soft_threshold(state[1], now.step * bound / mass);
    return friction;
  }
  [[nodiscard]] double restoring(std::span<const double> state, double friction) const {
    return stiffness * state[0] + friction;
  }
};

}  // namespace rheology
