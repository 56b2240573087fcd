#pragma once

#include <algorithm>

#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"

namespace masing::rheology {

/// The Prandtl model with linear hardening: a spring k0 beside a spring k in series with a
/// St-Venant element. m y' = F - k0 x - k u, u' + ∂ψ[-η,η](u) ∋ y. State x, y, u.
/// Source: (2.16) for k0 = 0, (2.20), rheological-models-2000.
struct Prandtl {
  double mass;
  double k0;
  double stiffness;
  double threshold;  ///< η

  static ModelInfo info() {
    return {.name = "prandtl",
            .title = "the Prandtl model, with linear hardening where k0 > 0",
            .equation = "x' = y\nm y' = F - k0 x - k u\nu' + beta(u/eta) ∋ y",
            .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                           {"k0", "hardening spring", Range::not_negative, 1, 0.0},
                           {"k", "stiffness", Range::positive},
                           {"eta", "yield displacement alpha/k", Range::positive}},
            .state = {{"x"}, {"y"}, {"u"}},
            .order = "1",
            .source = "(2.16), (2.20), figures 16 to 19, rheological-models-2000"};
  }

  explicit Prandtl(const ParameterValues& values)
      : Prandtl(values.number("m"), values.number("k0"), values.number("k"), values.number("eta")) {
    values.require_within("u0", {threshold}, "eta");
  }
  Prandtl(double m, double hardening, double k, double eta)
      : mass(m), k0(hardening), stiffness(k), threshold(eta) {}

  void drift(const TimeStep& now, std::span<const double> state, std::span<double> rate) const {
    rate[0] = state[1];
    rate[1] = (now.force - restoring(state, 0.0)) / mass;
    rate[2] = state[1];
  }
  [[nodiscard]] double resolve(const TimeStep& /*now*/, std::span<double> state) const {
    state[2] = std::clamp(state[2], -threshold, threshold);
    return 0.0;
  }
  [[nodiscard]] double restoring(std::span<const double> state, double /*friction*/) const {
    return k0 * state[0] + stiffness * state[2];
  }
};

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
            .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                           {"K1", "stiffness", Range::positive},
                           {"K2", "stiffness", Range::not_negative},
                           {"K3", "stiffness", Range::positive},
                           {"A", "threshold of the St-Venant element", Range::positive}},
            .state = {{"x"}, {"y"}, {"u"}},
            .order = "1",
            .source = "figure 5b, rheological-models-2000"};
  }

  explicit ThreeSprings(const ParameterValues& values)
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

}  // namespace masing::rheology
