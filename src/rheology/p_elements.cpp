#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/block_sum.hpp"
#include "rheology/box_projection.hpp"
#include "rheology/catalogue.hpp"
#include "rheology/inclusion.hpp"
#include "rheology/total_variation.hpp"

// This file contains models of P-elements, each of which is a spring and a St-Venant element in
// parallel. Some of the models also contain one S-element, which is a spring and a St-Venant
// element in series. In the equations σ(y) is sign(y) for y ≠ 0 and [-1, 1] for y = 0; ψ[-a,a] is 0
// on [-a, a] and infinite elsewhere; ∂ is the subdifferential. A St-Venant element of threshold α
// in parallel with a spring exerts the friction force α σ(y), where y is its velocity.

namespace masing::rheology {

namespace {

/// A mass on a spring and a St-Venant element in parallel (a P-element): m x'' + k x + α σ(x') ∋ F.
/// The state is x, y. Source: (2.1), rheological-models-2000.
struct FrictionOscillator final : Inclusion {
  double mass;
  double stiffness;
  double bound;  ///< α, the largest friction force

  explicit FrictionOscillator(const ParameterValues& values)
      : FrictionOscillator(values.number("m"), values.number("k"), values.number("alpha")) {}
  FrictionOscillator(double m, double k, double alpha) : mass(m), stiffness(k), bound(alpha) {}

  void drift(const TimeStep& now, std::span<const double> state,
             std::span<double> rate) const override {
    rate[0] = state[1];
    rate[1] = (now.force - stiffness * state[0]) / mass;
  }
  double resolve(const TimeStep& now, std::span<double> state) override {
    return slide_on_ground(mass, bound, now.step, state[1]);
  }
  [[nodiscard]] double restoring(std::span<const double> state) const override {
    return stiffness * state[0];
  }
  [[nodiscard]] std::vector<StVenant> elements() const override {
    return {ground_friction(1, mass, bound)};
  }
};

/// A chain of n P-elements and n masses in series. Element 1 is attached to the ground, and F acts
/// on mass n:
///     m_i y_i' + g_i - g_{i+1} = k_{i+1} (x_{i+1} - x_i) - k_i (x_i - x_{i-1}),
///     g_i ∈ α_i σ(y_i - y_{i-1}),  x_0 = y_0 = 0,  g_{n+1} = 0,
/// where for i = n the first term on the right is F. Mass i has the position x_i and the velocity
/// y_i, and g_i is the friction force of element i. The state is x_1..x_n, y_1..y_n. Source:
/// (2.32), rheological-models-2000.
class PChain final : public Inclusion {
 public:
  explicit PChain(const ParameterValues& values)
      : mass_(values.list("m")),
        stiffness_(values.list("k")),
        bound_(values.list("alpha")),
        impulse_bound_(mass_.size()),
        total_variation_(mass_.size()) {}

  void drift(const TimeStep& now, std::span<const double> state,
             std::span<double> rate) const override {
    const std::size_t n = mass_.size();
    double tension = stiffness_[0] * state[0];  // the force of spring i
    for (std::size_t i = 0; i < n; ++i) {
      const double next = i + 1 < n ? stiffness_[i + 1] * (state[i + 1] - state[i]) : now.force;
      rate[i] = state[n + i];
      rate[n + i] = (next - tension) / mass_[i];
      tension = next;
    }
  }
  double resolve(const TimeStep& now, std::span<double> state) override {
    std::ranges::transform(bound_, impulse_bound_.begin(),
                           [&](double bound) { return now.step * bound; });
    return total_variation_.solve(mass_, impulse_bound_, state.subspan(mass_.size())).back() /
           now.step;
  }
  [[nodiscard]] double restoring(std::span<const double> state) const override {
    const std::size_t n = mass_.size();
    const double below = n > 1 ? state[n - 2] : 0.0;
    return stiffness_.back() * (state[n - 1] - below);
  }
  [[nodiscard]] std::vector<StVenant> elements() const override {
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
  TotalVariation total_variation_;
};

/// n P-elements, a spring k0 and a mass in series:
///     m y' = F - κ (x - Σ_{i=1..n} v_i/k_i),  κ = (Σ_{i=0..n} 1/k_i)⁻¹,
///     V' + K ∂ψ_box(V) ∋ -k0 y (1, …, 1),  box |v_i| ≤ α_i,  K = diag(k_i) + k0 11ᵀ.
/// Here -v_i is the friction force of element i, V has the components v_1..v_n, and 1 in K is the
/// vector of ones. The state is x, y, v_1..v_n. Source: (2.34), rheological-models-2000.
class PSeries final : public Inclusion {
 public:
  explicit PSeries(const ParameterValues& values)
      : mass_(values.number("m")), k0_(values.number("k0")), bound_(values.list("alpha")) {
    values.require_within("v0", bound_, "alpha");
    compliance_ = values.list("k");
    std::ranges::transform(compliance_, compliance_.begin(), [](double k) { return 1.0 / k; });
    total_compliance_ = base::sum_of_not_negative(compliance_);
    std::vector<double> most(bound_.size());
    std::ranges::transform(bound_, compliance_, most.begin(), std::multiplies());
    greatest_slip_ = base::sum_of_not_negative(most);
  }

  void drift(const TimeStep& now, std::span<const double> state,
             std::span<double> rate) const override {
    rate[0] = state[1];
    rate[1] = (now.force - restoring(state)) / mass_;
    std::ranges::fill(rate.subspan(2), -k0_ * state[1]);
  }
  double resolve(const TimeStep& /*now*/, std::span<double> state) override {
    const auto v = state.subspan(2);
    const double shift = common_shift({v, bound_, compliance_, k0_, total_compliance_});
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] = std::clamp(v[i] - shift, -bound_[i], bound_[i]);
    }
    return 0.0;
  }
  [[nodiscard]] double restoring(std::span<const double> state) const override {
    const auto v = state.subspan(2);
    const double slip = base::sum_within(
        greatest_slip_, v.size(), [&](std::size_t i) { return compliance_[i] * v[i]; },
        base::NoReduction{});
    return (state[0] - slip) / (1.0 / k0_ + total_compliance_);
  }
  [[nodiscard]] std::vector<StVenant> elements() const override {
    return box_elements(2, bound_, [&](std::size_t i, std::size_t j) {
      return k0_ + (i == j ? 1 / compliance_[i] : 0.0);
    });
  }

 private:
  double mass_;
  double k0_;
  std::vector<double> bound_;       // α
  std::vector<double> compliance_;  // 1/k
  double total_compliance_ = 0.0;   // Σ 1/k_i
  double greatest_slip_ = 0.0;      // Σ α_i/k_i
};

/// The parameters of an S-element (k1, α1) and a P-element (k2, α2), in series or in parallel.
struct S1P2 {
  double k1;
  double threshold;  ///< η1 = α1/k1, the largest elongation
  double k2;
  double bound;  ///< α2, the largest friction force

  /// Returns the parameters `masses`, followed by the parameters of the two elements.
  static std::vector<Parameter> parameters(std::vector<Parameter> masses) {
    masses.insert(masses.end(), {{"k1", "stiffness of the S-element", Range::positive},
                                 {"alpha1", "threshold of the S-element", Range::positive},
                                 {"k2", "stiffness of the P-element", Range::not_negative},
                                 {"alpha2", "threshold of the P-element", Range::not_negative}});
    return masses;
  }

  /// Throws UserError if the initial elongation of the S-element exceeds its threshold.
  explicit S1P2(const ParameterValues& values)
      : k1(values.number("k1")),
        threshold(values.number("alpha1") / k1),
        k2(values.number("k2")),
        bound(values.number("alpha2")) {
    values.require_within("u0", {threshold}, "alpha1/k1");
  }
};

/// An S-element (k1, α1) and a P-element (k2, α2) in parallel on one mass:
///     m y' + α2 σ(y) ∋ F - k1 u - k2 x,   u' + ∂ψ[-η1,η1](u) ∋ y,   η1 = α1/k1.
/// The state is x, y, u. Source: (2.38) with z = k1 u, where the x of (2.38) is replaced by k2 x,
/// rheological-models-2000.
struct S1P2Parallel final : Inclusion, private S1P2 {
  double mass;

  explicit S1P2Parallel(const ParameterValues& values) : S1P2(values), mass(values.number("m")) {}

  void drift(const TimeStep& now, std::span<const double> state,
             std::span<double> rate) const override {
    rate[0] = state[1];
    rate[1] = (now.force - restoring(state)) / mass;
    rate[2] = state[1];
  }
  double resolve(const TimeStep& now, std::span<double> state) override {
    const double friction = slide_on_ground(mass, bound, now.step, state[1]);
    state[2] = std::clamp(state[2], -threshold, threshold);
    return friction;
  }
  [[nodiscard]] double restoring(std::span<const double> state) const override {
    return k2 * state[0] + k1 * state[2];
  }
  [[nodiscard]] std::vector<StVenant> elements() const override {
    return {ground_friction(1, mass, bound), clamped_elements(2, {&threshold, 1}).front()};
  }
};

/// An S-element (k1, α1), a mass m1, a P-element (k2, α2) and a mass m2 in series; F acts on the
/// second mass:
///     m1 y1' = -k1 u1 + k2 (x2 - x1) + g2,   m2 y2' = F - k2 (x2 - x1) - g2,
///     g2 ∈ α2 σ(y2 - y1),   u1' + ∂ψ[-η1,η1](u1) ∋ y1,   η1 = α1/k1.
/// The state is x1, y1, x2, y2, u1. Source: (2.36) with z1 = k1 u1, rheological-models-2000.
struct S1P2Series final : Inclusion, private S1P2 {
  double m1;
  double m2;

  explicit S1P2Series(const ParameterValues& values)
      : S1P2(values), m1(values.number("m1")), m2(values.number("m2")) {}

  void drift(const TimeStep& now, std::span<const double> state,
             std::span<double> rate) const override {
    const double pull = k2 * (state[2] - state[0]);
    rate[0] = state[1];
    rate[1] = (pull - k1 * state[4]) / m1;
    rate[2] = state[3];
    rate[3] = (now.force - pull) / m2;
    rate[4] = state[1];
  }
  double resolve(const TimeStep& now, std::span<double> state) override {
    state[4] = std::clamp(state[4], -threshold, threshold);
    return friction_impulse(m1, m2, state[1], state[3], now.step * bound) / now.step;
  }
  [[nodiscard]] double restoring(std::span<const double> state) const override {
    return k2 * (state[2] - state[0]);
  }
  [[nodiscard]] std::vector<StVenant> elements() const override {
    return {contact_friction({1, m1}, {3, m2}, bound),
            clamped_elements(4, {&threshold, 1}).front()};
  }
};

}  // namespace

CatalogueEntry friction_oscillator() {
  return {{.name = "friction-oscillator",
           .title = "one spring and one St-Venant element in parallel",
           .equation = "m x'' + k x + alpha sigma(x') ∋ F",
           .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                          {"k", "stiffness", Range::not_negative},
                          {"alpha", "friction threshold", Range::not_negative}},
           .state = {{"x"}, {"y"}},
           .order = ">=0.5",
           .source = "(2.1), Table I, rheological-models-2000"},
          made<FrictionOscillator>};
}

/// n P-elements in parallel, which are equivalent to one P-element with k = Σ k_i and α = Σ α_i.
/// Source: (2.24), rheological-models-2000.
CatalogueEntry p_parallel() {
  return {{.name = "p-parallel",
           .title = "n P-elements (spring and St-Venant element in parallel) in parallel",
           .equation = "m x'' + (Σ k_i) x + (Σ alpha_i) sigma(x') ∋ F",
           .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                          {"n", "elements"},
                          {"k", "stiffnesses", Range::not_negative, per_element},
                          {"alpha", "friction thresholds", Range::not_negative, per_element}},
           .state = {{"x"}, {"y"}},
           .order = ">=0.5",
           .source = "(2.24), rheological-models-2000"},
          [](const ParameterValues& values) -> std::unique_ptr<Inclusion> {
            const auto sum = [&](const char* name) {
              const std::vector<double>& all = values.list(name);
              return std::accumulate(all.begin(), all.end(), 0.0);
            };
            return std::make_unique<FrictionOscillator>(values.number("m"), sum("k"), sum("alpha"));
          }};
}

CatalogueEntry p_chain() {
  return {
      {.name = "p-chain",
       .title = "n P-elements (spring and St-Venant element in parallel) and n masses in series",
       .equation = "x_i' = y_i\n"
                   "m_i y_i' + g_i - g_{i+1} = k_{i+1} (x_{i+1} - x_i) - k_i (x_i - x_{i-1})\n"
                   "with F for k_{n+1} (x_{n+1} - x_n), x_0 = y_0 = 0, g_{n+1} = 0\n"
                   "g_i ∈ alpha_i sigma(y_i - y_{i-1})",
       .parameters = {{"n", "elements"},
                      {"m", "masses", Range::positive, per_element, 1.0},
                      {"k", "stiffnesses", Range::not_negative, per_element},
                      {"alpha", "friction thresholds", Range::not_negative, per_element}},
       .state = {{"x", GroupSize::each}, {"y", GroupSize::each}},
       .order = ">=0.5",
       .source = "(2.32), Table I, rheological-models-2000"},
      made<PChain>};
}

CatalogueEntry p_series() {
  return {{.name = "p-series",
           .title = "n P-elements, one spring and one mass in series",
           .equation = "x' = y\n"
                       "m y' = F + (Σ v_i/k_i - x)/(1/k0 + Σ 1/k_i)\n"
                       "V' + K B(V) ∋ -k0 y (1, ..., 1), K = diag(k_i) + k0 1 1^T\n"
                       "B(V) = beta(v_1/alpha_1) x ... x beta(v_n/alpha_n)",
           .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                          {"k0", "stiffness of the single spring", Range::positive},
                          {"n", "elements"},
                          {"k", "stiffnesses", Range::positive, per_element},
                          {"alpha", "friction thresholds", Range::not_negative, per_element}},
           .state = {{"x"}, {"y"}, {"v", GroupSize::each}},
           .order = "1",
           .source = "(2.34), Table I, rheological-models-2000"},
          made<PSeries>};
}

CatalogueEntry s1_p2_parallel() {
  return {{.name = "s1-p2-parallel",
           .title = "one S-element and one P-element in parallel",
           .equation = "x' = y\nm y' + alpha2 sigma(y) ∋ F - k1 u - k2 x\n"
                       "u' + beta(u/eta1) ∋ y, eta1 = alpha1/k1",
           .parameters = S1P2::parameters({{"m", "mass", Range::positive, 1, 1.0}}),
           .state = {{"x"}, {"y"}, {"u"}},
           .order = ">=0.5",
           .source = "(2.38), Table I, rheological-models-2000"},
          made<S1P2Parallel>};
}

CatalogueEntry s1_p2_series() {
  return {
      {.name = "s1-p2-series",
       .title = "one S-element and one P-element in series with two masses",
       .equation = "x1' = y1, x2' = y2\n"
                   "m1 y1' = -k1 u1 + k2 (x2 - x1) + g2\nm2 y2' = F - k2 (x2 - x1) - g2\n"
                   "g2 ∈ alpha2 sigma(y2 - y1)\nu1' + beta(u1/eta1) ∋ y1, eta1 = alpha1/k1",
       .parameters = S1P2::parameters({{"m1", "mass between the elements", Range::positive, 1, 1.0},
                                       {"m2", "mass at the end", Range::positive, 1, 1.0}}),
       .state = {{"x1"}, {"y1"}, {"x2"}, {"y2"}, {"u1"}},
       .order = ">=0.5",
       .source = "(2.36), Table I, rheological-models-2000"},
      made<S1P2Series>};
}

}  // namespace masing::rheology
