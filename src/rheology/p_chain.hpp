#pragma once

#include <algorithm>
#include <vector>

#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"
#include "rheology/st_venant.hpp"
#include "rheology/total_variation.hpp"

namespace masing::rheology {

/// n P-elements and n masses in series, held at the end of element 1, F on mass n:
///     m_i y_i' + g_i - g_{i+1} = k_{i+1} (x_{i+1} - x_i) - k_i (x_i - x_{i-1}),  F for i = n,
///     g_i ∈ α_i σ(y_i - y_{i-1}),  x_0 = y_0 = 0,  g_{n+1} = 0.
/// State x_1..x_n, y_1..y_n. Source: (2.32), rheological-models-2000.
class PChain {
 public:
  static ModelInfo info() {
    return {
        .name = "p-chain",
        .title = "n P-elements (spring and St-Venant element in parallel) and n masses in series",
        .equation =
            "x_i' = y_i\n"
            "m_i y_i' + g_i - g_{i+1} = k_{i+1} (x_{i+1} - x_i) - k_i (x_i - x_{i-1})\n"
            "with F for k_{n+1} (x_{n+1} - x_n), x_0 = y_0 = 0, g_{n+1} = 0\n"
            "g_i ∈ alpha_i sigma(y_i - y_{i-1})",
        .phi = "alpha_1 |y_1| + Σ_{i>=2} alpha_i |y_i - y_{i-1}|",
        .matrix = "diag(1, ..., 1, 1/m_1, ..., 1/m_n)",
        .parameters = {{"n", "elements"},
                       {"m", "masses", Range::positive, per_element, 1.0},
                       {"k", "stiffnesses", Range::not_negative, per_element},
                       {"alpha", "friction thresholds", Range::not_negative, per_element}},
        .state = {{"x", Extent::each}, {"y", Extent::each}},
        .order = ">=0.5",
        .source = "(2.32), Table I, rheological-models-2000"};
  }

  explicit PChain(const ParameterValues& values)
      : mass_(values.list("m")),
        stiffness_(values.list("k")),
        bound_(values.list("alpha")),
        impulse_bound_(mass_.size()),
        target_(mass_.size()),
        impulse_(mass_.size()),
        total_variation_(mass_.size()) {}

  void drift(const TimeStep& now, std::span<const double> state, std::span<double> rate) const {
    const std::size_t n = mass_.size();
    double tension = stiffness_[0] * state[0];  // of spring i
    for (std::size_t i = 0; i < n; ++i) {
      const double next = i + 1 < n ? stiffness_[i + 1] * (state[i + 1] - state[i]) : now.force;
      rate[i] = state[n + i];
      rate[n + i] = (next - tension) / mass_[i];
      tension = next;
    }
  }
  [[nodiscard]] double resolve(const TimeStep& now, std::span<double> state) {
    const auto y = state.subspan(mass_.size());
    std::ranges::copy(y, target_.begin());
    std::ranges::transform(bound_, impulse_bound_.begin(),
                           [&](double bound) { return now.step * bound; });
    const FrictionChain chain{.mass = mass_, .bound = impulse_bound_};
    total_variation_.solve(chain, target_, y);
    friction_impulses(chain, target_, y, impulse_);
    return impulse_.back() / now.step;
  }
  [[nodiscard]] double restoring(std::span<const double> state, double friction) const {
    const std::size_t n = mass_.size();
    const double below = n > 1 ? state[n - 2] : 0.0;
    return stiffness_.back() * (state[n - 1] - below) + friction;
  }
  [[nodiscard]] std::vector<StVenant> elements() const {
    const std::size_t n = mass_.size();
    std::vector<StVenant> all{ground_friction(n, mass_[0], bound_[0])};
    for (std::size_t i = 1; i < n; ++i) {
      all.push_back(contact_friction({n + i - 1, mass_[i - 1]}, {n + i, mass_[i]}, bound_[i]));
    }
    return all;
  }

 private:
  std::vector<double> mass_;
  std::vector<double> stiffness_;
  std::vector<double> bound_;          // α
  std::vector<double> impulse_bound_;  // hα
  std::vector<double> target_;         // velocities before friction
  std::vector<double> impulse_;        // h g
  TotalVariation total_variation_;
};

}  // namespace masing::rheology
