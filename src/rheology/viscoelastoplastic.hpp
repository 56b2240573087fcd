#pragma once

#include <algorithm>

#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"

namespace masing::rheology {

/// A spring, a St-Venant element and a dashpot in series:
/// m y' = F - k u, u' + ∂ψ[-η,η](u) ∋ y - k u/c. State x, y, u.
/// Source: (2.14), rheological-models-2000.
struct Viscoelastoplastic {
  double mass;
  double stiffness;
  double threshold;  ///< η
  double viscosity;  ///< c

  static ModelInfo info() {
    return {.name = "viscoelastoplastic",
            .title = "a spring, a St-Venant element and a dashpot in series",
            .equation = "x' = y\nm y' = F - k u\nu' + beta(u/eta) ∋ y - k u/c",
            .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                           {"k", "stiffness", Range::positive},
                           {"eta", "yield displacement alpha/k", Range::positive},
                           {"c", "viscosity", Range::positive}},
            .state = {{"x"}, {"y"}, {"u"}},
            .order = "1",
            .source = "(2.14), figure 30, rheological-models-2000"};
  }

  explicit Viscoelastoplastic(const ParameterValues& values)
      : mass(values.number("m")),
        stiffness(values.number("k")),
        threshold(values.number("eta")),
        viscosity(values.number("c")) {
    values.require_within("u0", {threshold}, "eta");
  }

  void drift(const TimeStep& now, std::span<const double> state, std::span<double> rate) const {
    rate[0] = state[1];
    rate[1] = (now.force - stiffness * state[2]) / mass;
    rate[2] = state[1] - stiffness * state[2] / viscosity;
  }
  [[nodiscard]] double resolve(const TimeStep& /*now*/, std::span<double> state) const {
    state[2] = std::clamp(state[2], -threshold, threshold);
    return 0.0;
  }
  [[nodiscard]] double restoring(std::span<const double> state, double /*friction*/) const {
    return stiffness * state[2];
  }
};

}  // namespace masing::rheology
