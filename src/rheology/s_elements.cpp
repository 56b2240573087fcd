#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "rheology/catalogue.hpp"
#include "rheology/inclusion.hpp"

// This file contains models of S-elements, each of which is a spring and a St-Venant element in
// series. The S-elements are in parallel on one mass, or in series. In the equations u is the
// elongation of the spring, and η = α/k is the elongation at which the St-Venant element of
// threshold α yields. ψ[-η,η] is 0 on [-η, η] and infinite elsewhere, and ∂ is the subdifferential.

namespace masing::rheology {

namespace {

/// The generalised Prandtl model with linear hardening: n S-elements in parallel with a spring k0,
///     m y' = F - k0 x - Σ k_i u_i,   u_i' + ∂ψ[-η_i,η_i](u_i) ∋ y.
/// The state is x, y, u_1..u_n. Source: (2.27) for k0 = 0, (2.29), rheological-models-2000.
struct DiscreteMasing : Inclusion {
  double mass;
  double k0;
  std::vector<double> stiffness;
  std::vector<double> threshold;  ///< η

  explicit DiscreteMasing(const ParameterValues& values)
      : DiscreteMasing(values, values.number("k0"), values.list("k"), values.list("eta")) {}
  /// Constructs a model with other parameters than those of discrete-masing. Throws UserError
  /// unless the initial elongations u0 of the elements are within ±eta.
  DiscreteMasing(const ParameterValues& values, double hardening, const std::vector<double>& k,
                 const std::vector<double>& eta)
      : mass(values.number("m")), k0(hardening), stiffness(k), threshold(eta) {
    values.require_within("u0", threshold, "eta");
  }

  void drift(const TimeStep& now, std::span<const double> state,
             std::span<double> rate) const override {
    rate[0] = state[1];
    rate[1] = (now.force - restoring(state)) / mass;
    std::ranges::fill(rate.subspan(2), state[1]);
  }
  double resolve(const TimeStep& /*now*/, std::span<double> state) final {
    yield(state.subspan(2), threshold);
    return 0.0;
  }
  [[nodiscard]] double restoring(std::span<const double> state) const final {
    return k0 * state[0] +
           std::inner_product(stiffness.begin(), stiffness.end(), state.begin() + 2, 0.0);
  }
  [[nodiscard]] std::vector<StVenant> elements() const final {
    return clamped_elements(2, threshold);
  }
};

/// A spring, a St-Venant element and a dashpot in series:
///     m y' = F - k u,   u' + ∂ψ[-η,η](u) ∋ y - k u/c.
/// The state is x, y, u. Source: (2.14), rheological-models-2000.
struct Viscoelastoplastic final : DiscreteMasing {
  double viscosity;  ///< c

  explicit Viscoelastoplastic(const ParameterValues& values)
      : DiscreteMasing(values, 0.0, values.list("k"), values.list("eta")),
        viscosity(values.number("c")) {}

  void drift(const TimeStep& now, std::span<const double> state,
             std::span<double> rate) const override {
    DiscreteMasing::drift(now, state, rate);
    rate[2] -= stiffness[0] * state[2] / viscosity;
  }
};

/// A chain of n S-elements and n masses in series. Element 1 is attached to the ground, and F acts
/// on mass n:
///     m_i y_i' = k_{i+1} u_{i+1} - k_i u_i  (F - k_n u_n for i = n),
///     u_i' + ∂ψ[-η_i,η_i](u_i) ∋ y_i - y_{i-1},  y_0 = 0.
/// The state consists of the x_i, then of the y_i, and then of the u_i. Source: (2.30),
/// rheological-models-2000.
struct SChain final : Inclusion {
  std::vector<double> mass;
  std::vector<double> stiffness;
  std::vector<double> threshold;  ///< η

  explicit SChain(const ParameterValues& values)
      : mass(values.list("m")), stiffness(values.list("k")), threshold(values.list("eta")) {
    values.require_within("u0", threshold, "eta");
  }

  void drift(const TimeStep& now, std::span<const double> state,
             std::span<double> rate) const override {
    const std::size_t n = mass.size();
    const auto y = state.subspan(n, n);
    const auto u = state.subspan(2 * n, n);
    double below = 0.0;  // y_{i-1}
    for (std::size_t i = 0; i < n; ++i) {
      const double pull = i + 1 < n ? stiffness[i + 1] * u[i + 1] : now.force;
      rate[i] = y[i];
      rate[n + i] = (pull - stiffness[i] * u[i]) / mass[i];
      rate[2 * n + i] = y[i] - below;
      below = y[i];
    }
  }
  double resolve(const TimeStep& /*now*/, std::span<double> state) override {
    yield(state.subspan(2 * mass.size()), threshold);
    return 0.0;
  }
  [[nodiscard]] double restoring(std::span<const double> state) const override {
    return stiffness.back() * state.back();
  }
  [[nodiscard]] std::vector<StVenant> elements() const override {
    return clamped_elements(2 * mass.size(), threshold);
  }
};

}  // namespace

CatalogueEntry discrete_masing() {
  return {{.name = "discrete-masing",
           .title = "the generalised Prandtl or discrete Masing model, n S-elements in parallel",
           .equation = "x' = y\nm y' = F - k0 x - Σ k_i u_i\nu_i' + beta(u_i/eta_i) ∋ y",
           .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                          {"k0", "hardening spring", Range::not_negative, 1, 0.0},
                          {"n", "elements"},
                          {"k", "stiffnesses", Range::positive, per_element},
                          {"eta", "yield displacements alpha_i/k_i", Range::positive, per_element}},
           .state = {{"x"}, {"y"}, {"u", GroupSize::each}},
           .order = "1",
           .source = "(2.27), (2.29), Table I, figures 20 to 29, rheological-models-2000"},
          made<DiscreteMasing>};
}

/// The Prandtl model with linear hardening, a DiscreteMasing of one element:
///     m y' = F - k0 x - k u,   u' + ∂ψ[-η,η](u) ∋ y.
/// Source: (2.16) for k0 = 0, (2.20), rheological-models-2000.
CatalogueEntry prandtl() {
  return {{.name = "prandtl",
           .title = "the Prandtl model, with linear hardening where k0 > 0",
           .equation = "x' = y\nm y' = F - k0 x - k u\nu' + beta(u/eta) ∋ y",
           .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                          {"k0", "hardening spring", Range::not_negative, 1, 0.0},
                          {"k", "stiffness", Range::positive},
                          {"eta", "yield displacement alpha/k", Range::positive}},
           .state = {{"x"}, {"y"}, {"u"}},
           .order = "1",
           .source = "(2.16), (2.20), Table I, figures 16 to 19, rheological-models-2000"},
          made<DiscreteMasing>};
}

/// Three springs and one St-Venant element of threshold A. They are equivalent to the Prandtl model
/// with
///     k0 = K2 K3/(K2 + K3),  k = K1 K3²/((K1 + K2 + K3)(K2 + K3)),  α = A K3/(K2 + K3),  η = α/k.
/// Source: figure 5b and after (2.21), rheological-models-2000.
CatalogueEntry three_springs() {
  return {{.name = "three-springs",
           .title = "three springs and one St-Venant element",
           .equation = "the model prandtl with k0 = K2 K3/(K2+K3), "
                       "k = K1 K3^2/((K1+K2+K3)(K2+K3)),\n"
                       "eta = alpha/k, alpha = A K3/(K2+K3)",
           .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                          {"K1", "stiffness", Range::positive},
                          {"K2", "stiffness", Range::not_negative},
                          {"K3", "stiffness", Range::positive},
                          {"A", "threshold of the St-Venant element", Range::positive}},
           .state = {{"x"}, {"y"}, {"u"}},
           .order = "1",
           .source = "figure 5b, rheological-models-2000"},
          [](const ParameterValues& values) -> std::unique_ptr<Inclusion> {
            const double k1 = values.number("K1");
            const double k2 = values.number("K2");
            const double k3 = values.number("K3");
            const double k = k1 * k3 * k3 / ((k1 + k2 + k3) * (k2 + k3));
            const double alpha = values.number("A") * k3 / (k2 + k3);
            return std::make_unique<DiscreteMasing>(values, k2 * k3 / (k2 + k3), std::vector{k},
                                                    std::vector{alpha / k});
          }};
}

CatalogueEntry viscoelastoplastic() {
  return {{.name = "viscoelastoplastic",
           .title = "a spring, a St-Venant element and a dashpot in series",
           .equation = "x' = y\nm y' = F - k u\nu' + beta(u/eta) ∋ y - k u/c",
           .parameters = {{"m", "mass", Range::positive, 1, 1.0},
                          {"k", "stiffness", Range::positive},
                          {"eta", "yield displacement alpha/k", Range::positive},
                          {"c", "viscosity", Range::positive}},
           .state = {{"x"}, {"y"}, {"u"}},
           .order = "1",
           .source = "(2.14), Table I, figure 30, rheological-models-2000"},
          made<Viscoelastoplastic>};
}

CatalogueEntry s_chain() {
  return {{.name = "s-chain",
           .title = "n S-elements (spring and St-Venant element in series) and n masses in series",
           .equation = "x_i' = y_i\n"
                       "m_i y_i' = k_{i+1} u_{i+1} - k_i u_i, with F for k_{n+1} u_{n+1}\n"
                       "u_i' + beta(u_i/eta_i) ∋ y_i - y_{i-1}, y_0 = 0",
           .parameters = {{"n", "elements"},
                          {"m", "masses", Range::positive, per_element, 1.0},
                          {"k", "stiffnesses", Range::positive, per_element},
                          {"eta", "yield displacements alpha_i/k_i", Range::positive, per_element}},
           .state = {{"x", GroupSize::each}, {"y", GroupSize::each}, {"u", GroupSize::each}},
           .order = "1",
           .source = "(2.30), Table I, rheological-models-2000"},
          made<SChain>};
}

}  // namespace masing::rheology
