#pragma once

#include "rheology/prandtl.hpp"

namespace rheology {

/// Three springs and one St-Venant element of threshold A, which are the Prandtl model with
///     k0 = K2 K3/(K2 + K3),  k = K1 K3²/((K1 + K2 + K3)(K2 + K3)),  α = A K3/(K2 + K3),  η = α/k.
/// State x, y, u. Source: figure 5b and after (2.21), rheological-models-2000.
struct ThreeSprings : Prandtl {
  static ModelInfo info() {
    return {.name = "three-springs",
            .title = "three springs and one St-Venant element",
            .equation =
                "the model prandtl with k0 = K2 K3/(K2+K3), "
                "k = K1 K3^2/((K1+K2+K3)(K2+K3)),\n"
                "eta = alpha/k, alpha = A K3/(K2+K3)",
            .parameters = {{"m", "mass", "1", 1, Range::positive},
                           {"K1", "stiffness", "", 1, Range::positive},
                           {"K2", "stiffness", "", 1, Range::not_negative},
                           {"K3", "stiffness", "", 1, Range::positive},
                           {"A", "threshold of the St-Venant element", "", 1, Range::positive}},
            .state = {{"x"}, {"y"}, {"u"}},
            .order = "1",
            .source = "figure 5b, rheological-models-2000"};
  }

  explicit ThreeSprings(const Values& values)
      : ThreeSprings(values.number("m"), values.number("K1"), values.number("K2"),
                     values.number("K3"), values.number("A")) {
    values.require_within("u0", {threshold}, "eta");
  }

 private:
  ThreeSprings(double m, double k1, double k2, double k3, double a)
      : ThreeSprings(m, k2 * k3 / (k2 + k3), k1 * k3 * k3 / ((k1 + k2 + k3) * (k2 + k3)),
                     a * k3 / (k2 + k3)) {}
  ThreeSprings(double m, double hardening, double k, double alpha)
      : Prandtl(m, hardening, k, alpha / k) {}
};

}  // namespace rheology
