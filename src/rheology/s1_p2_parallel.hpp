#pragma once

#include <algorithm>

#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"
#include "rheology/s1_p2.hpp"
#include "rheology/soft_threshold.hpp"

namespace rheology {

/// An S-element (k1, α1) and a P-element (k2, α2) in parallel on one mass:
///     m y' + α2 σ(y) ∋ F - k1 u - k2 x,   u' + ∂ψ[-η1,η1](u) ∋ y,   η1 = α1/k1.
/// State x, y, u. Source: (2.38) with z = k1 u and k2 x for x, rheological-models-2000.
struct S1P2Parallel : S1P2 {
  double mass;

  static ModelInfo info() {
    return {.name = "s1-p2-parallel",
            .title = "one S-element and one P-element in parallel",
            .equation =
                "x' = y\nm y' + alpha2 sigma(y) ∋ F - k1 u - k2 x\n"
                "u' + beta(u/eta1) ∋ y, eta1 = alpha1/k1",
            .parameters = S1P2::parameters({{"m", "mass", "1", 1, Range::positive}}),
            .state = {{"x"}, {"y"}, {"u"}},
            .order = ">=0.5",
            .source = "(2.38), rheological-models-2000"};
  }

  explicit S1P2Parallel(const Values& values) : S1P2(values), mass(values.number("m")) {}

  void drift(const Instant& now, std::span<const double> state, std::span<double> rate) const {
    rate[0] = state[1];
    rate[1] = (now.force - restoring(state, 0.0)) / mass;
    rate[2] = state[1];
  }
  [[nodiscard]] double resolve(const Instant& now, std::span<double> state) const {
    const double friction = std::clamp(mass * state[1] / now.step, -bound, bound);
    state[1] = soft_threshold(state[1], now.step * bound / mass);
    state[2] = std::clamp(state[2], -threshold, threshold);
    return friction;
  }
  [[nodiscard]] double restoring(std::span<const double> state, double friction) const {
    return k2 * state[0] + k1 * state[2] + friction;
  }
};

}  // namespace rheology
