#pragma once

#include <algorithm>
#include <vector>

#include "rheology/friction.hpp"
#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"

namespace masing::rheology {

/// The generalised Prandtl model with linear hardening, n S-elements in parallel with a spring:
/// m y' = F - k0 x - Σ k_i u_i, u_i' + ∂ψ[-η_i,η_i](u_i) ∋ y. State x, y, u_1..u_n.
/// Source: (2.27) for k0 = 0, (2.29), rheological-models-2000.
struct DiscreteMasing {
  double mass;
  double k0;
  std::vector<double> stiffness;
  std::vector<double> threshold;  ///< η

  static ModelInfo info() {
    return {
        .name = "discrete-masing",
        .title = "the generalised Prandtl or discrete Masing model, n S-elements in parallel",
        .equation = "x' = y\nm y' = F - k0 x - Σ k_i u_i\nu_i' + beta(u_i/eta_i) ∋ y",
        .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                       {"k0", "hardening spring", Range::not_negative, 1, 0.0},
                       {"n", "elements"},
                       {"k", "stiffnesses", Range::positive, per_element},
                       {"eta", "yield displacements alpha_i/k_i", Range::positive, per_element}},
        .state = {{"x"}, {"y"}, {"u", Extent::each}},
        .order = "1",
        .source = "(2.27), (2.29), figures 20 to 29, rheological-models-2000"};
  }

  explicit DiscreteMasing(const ParameterValues& values)
      : mass(values.number("m")),
        k0(values.number("k0")),
        stiffness(values.list("k")),
        threshold(values.list("eta")) {
    values.require_within("u0", threshold, "eta");
  }

  void drift(const TimeStep& now, std::span<const double> state, std::span<double> rate) const {
    rate[0] = state[1];
    rate[1] = (now.force - restoring(state, 0.0)) / mass;
    std::ranges::fill(rate.subspan(2), state[1]);
  }
  [[nodiscard]] double resolve(const TimeStep& /*now*/, std::span<double> state) const {
    yield(state.subspan(2), threshold);
    return 0.0;
  }
  [[nodiscard]] double restoring(std::span<const double> state, double /*friction*/) const {
    const auto u = state.subspan(2);
    double sum = 0.0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      sum += stiffness[i] * u[i];
    }
    return k0 * state[0] + sum;
  }
};

}  // namespace masing::rheology
