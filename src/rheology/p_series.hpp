#pragma once

#include <algorithm>
#include <vector>

#include "rheology/box_projection.hpp"
#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"

namespace rheology {

/// n P-elements, a spring k0 and a mass in series:
///     m y' = F - κ (x - Σ v_i/k_i),  κ = (Σ_{i=0..n} 1/k_i)⁻¹,
///     V' + K ∂ψ_box(V) ∋ -k0 y (1, …, 1),  box |v_i| ≤ α_i,  K = diag(k_i) + k0 11ᵀ.
/// State x, y, v_1..v_n. Source: (2.34), rheological-models-2000.
class PSeries {
 public:
  static ModelInfo info() {
    return {.name = "p-series",
            .title = "n P-elements, one spring and one mass in series",
            .equation =
                "x' = y\n"
                "m y' = F + (Σ v_i/k_i - x)/(1/k0 + Σ 1/k_i)\n"
                "V' + K B(V) ∋ -k0 y (1, ..., 1), K = diag(k_i) + k0 1 1^T\n"
                "B(V) = beta(v_1/alpha_1) x ... x beta(v_n/alpha_n)",
            .parameters = {{"m", "mass", "1", 1, Range::positive},
                           {"k0", "stiffness of the single spring", "", 1, Range::positive},
                           {"n", "elements"},
                           {"k", "stiffnesses", "", per_element, Range::positive},
                           {"alpha", "friction thresholds", "", per_element, Range::not_negative}},
            .state = {{"x"}, {"y"}, {"v", Extent::each}},
            .order = "1",
            .source = "(2.34), rheological-models-2000"};
  }

  explicit PSeries(const Values& values)
      : mass_(values.number("m")), k0_(values.number("k0")), bound_(values.list("alpha")) {
    values.require_within("v0", bound_, "alpha");
    for (const double k : values.list("k")) {
      compliance_.push_back(1.0 / k);
      total_compliance_ += compliance_.back();
    }
  }

  void drift(const Instant& now, std::span<const double> state, std::span<double> rate) const {
    rate[0] = state[1];
    rate[1] = (now.force - restoring(state, 0.0)) / mass_;
    std::ranges::fill(rate.subspan(2), -k0_ * state[1]);
  }
  [[nodiscard]] double resolve(const Instant& /*now*/, std::span<double> state) const {
    const auto v = state.subspan(2);
    const BoxElements elements{.value = v, .bound = bound_, .compliance = compliance_};
    // The search begins at 0, not at the last root: the state alone decides the next.
    const double shift = common_shift(elements, {.stiffness = k0_, .compliance = total_compliance_},
                                      0.0, base::NoReduction());
    project_shifted(v, bound_, shift, v);
    return 0.0;
  }
  [[nodiscard]] double restoring(std::span<const double> state, double /*friction*/) const {
    const auto v = state.subspan(2);
    double slip = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      slip += compliance_[i] * v[i];
    }
    return (state[0] - slip) / (1.0 / k0_ + total_compliance_);
  }

 private:
  double mass_;
  double k0_;
  std::vector<double> bound_;       // α
  std::vector<double> compliance_;  // 1/k
  double total_compliance_ = 0.0;
};

}  // namespace rheology
