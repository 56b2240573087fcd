#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "rheology/box_projection.hpp"
#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"
#include "rheology/st_venant.hpp"

namespace masing::rheology {

/// n P-elements, a spring k0 and a mass in series:
///     m y' = F - κ (x - Σ v_i/k_i),  κ = (Σ_{i=0..n} 1/k_i)⁻¹,
///     V' + K ∂ψ_box(V) ∋ -k0 y (1, …, 1),  box |v_i| ≤ α_i,  K = diag(k_i) + k0 11ᵀ.
/// State x, y, v_1..v_n, of the elements held: `Reduction` sums over all (base::NoReduction, or
/// over ranks). Source: (2.34), rheological-models-2000.
template <class Reduction = base::NoReduction>
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
            .phi = "Σ psi[-alpha_i,alpha_i](v_i)",
            .matrix = "diag(I, K), I of x and y",
            .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                           {"k0", "stiffness of the single spring", Range::positive},
                           {"n", "elements"},
                           {"k", "stiffnesses", Range::positive, per_element},
                           {"alpha", "friction thresholds", Range::not_negative, per_element}},
            .state = {{"x"}, {"y"}, {"v", Extent::each}},
            .order = "1",
            .source = "(2.34), Table I, rheological-models-2000",
            .work = Work::split};
  }

  explicit PSeries(const ParameterValues& values)
      : mass_(values.number("m")), k0_(values.number("k0")), bound_(values.list("alpha")) {
    values.require_within("v0", bound_, "alpha");
    compliance_ = values.list("k");
    std::ranges::transform(compliance_, compliance_.begin(), [](double k) { return 1.0 / k; });
    sum_up();
  }
  /// The same elements with another reduction. Collective if that is.
  template <class Other>
  PSeries(PSeries<Other> series, Reduction reduction)
      : reduction_(reduction),
        mass_(series.mass_),
        k0_(series.k0_),
        bound_(std::move(series.bound_)),
        compliance_(std::move(series.compliance_)) {
    sum_up();
  }

  void drift(const TimeStep& now, std::span<const double> state, std::span<double> rate) const {
    rate[0] = state[1];
    rate[1] = (now.force - restoring(state, 0.0)) / mass_;
    std::ranges::fill(rate.subspan(2), -k0_ * state[1]);
  }
  [[nodiscard]] double resolve(const TimeStep& /*now*/, std::span<double> state) const {
    const auto v = state.subspan(2);
    const BoxElements elements{.value = v, .bound = bound_, .compliance = compliance_};
    // The search begins at 0, not at the last root: the state alone decides the next.
    const double shift = common_shift(elements, {.stiffness = k0_, .compliance = total_compliance_},
                                      0.0, reduction_);
    project_shifted(v, bound_, shift, v);
    return 0.0;
  }
  [[nodiscard]] double restoring(std::span<const double> state, double /*friction*/) const {
    const auto v = state.subspan(2);
    const double slip = base::sum_within(
        greatest_slip_, v.size(), [&](std::size_t i) { return compliance_[i] * v[i]; }, reduction_);
    return (state[0] - slip) / (1.0 / k0_ + total_compliance_);
  }
  [[nodiscard]] std::vector<StVenant> elements() const {
    return box_elements(2, bound_, [&](std::size_t i, std::size_t j) {
      return k0_ + (i == j ? 1 / compliance_[i] : 0.0);
    });
  }

 private:
  template <class Other>
  friend class PSeries;

  void sum_up() {
    total_compliance_ = base::sum_of_not_negative(compliance_, reduction_);
    std::vector<double> most(bound_.size());
    std::ranges::transform(bound_, compliance_, most.begin(), std::multiplies());
    greatest_slip_ = base::sum_of_not_negative(most, reduction_);
  }

  Reduction reduction_;
  double mass_;
  double k0_;
  std::vector<double> bound_;       // α
  std::vector<double> compliance_;  // 1/k
  double total_compliance_ = 0.0;   // Σ 1/k_i
  double greatest_slip_ = 0.0;      // Σ α_i/k_i
};

}  // namespace masing::rheology
