#include "rheology/persoz.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "rheology/box_projection.hpp"
#include "rheology/catalogue.hpp"
#include "rheology/inclusion.hpp"

namespace masing::rheology {

double determinant(const GephyroidSprings& k) {
  return k.k1 * k.k2 * k.k3 + k.k0 * (k.k1 * k.k2 + k.k1 * k.k3 + k.k2 * k.k3);
}

Matrix3 stiffness_matrix(const GephyroidSprings& k) {
  const double a = k.k0 + k.k2;
  const double b = k.k0 + k.k3;
  return {{{a, k.k0, -a}, {k.k0, b, -b}, {-a, -b, k.k0 + k.k1 + k.k2 + k.k3}}};
}

Matrix3 quasistatic_matrix(const GephyroidSprings& k) {
  return stiffness_matrix({.k0 = 0.0, .k1 = k.k1, .k2 = k.k2, .k3 = k.k3});
}

GephyroidForce force_on_mass(const GephyroidSprings& k) {
  const double scale = k.k0 / determinant(k);
  return {
      .friction = {scale * k.k3 * (k.k1 + k.k2), scale * k.k2 * (k.k1 + k.k3), scale * k.k2 * k.k3},
      .stiffness = scale * k.k1 * k.k2 * k.k3};
}

namespace {

/// The parameters that Persoz's models with and without a mass have in common.
struct PersozParameters {
  GephyroidSprings springs;
  Vector3 bound{};  ///< α2, α3, α1

  static std::vector<Parameter> list(Range range_of_stiffness) {
    std::vector<Parameter> all;
    for (const char* name : {"k0", "k1", "k2", "k3"}) {
      all.push_back({name, "stiffness", range_of_stiffness});
    }
    for (const char* name : {"alpha1", "alpha2", "alpha3"}) {
      all.push_back(
          {name, "threshold of St-Venant element " + std::string(1, name[5]), Range::not_negative});
    }
    return all;
  }

  /// Throws UserError if the absolute value of an initial force g0 exceeds the threshold of its
  /// element, or if K is not positive definite or its determinant overflows.
  explicit PersozParameters(const ParameterValues& values)
      : springs{values.number("k0"), values.number("k1"), values.number("k2"), values.number("k3")},
        bound{values.number("alpha2"), values.number("alpha3"), values.number("alpha1")} {
    // g0 is given in the order of the state: g2, g3, g1.
    values.require_within("g0", {bound.begin(), bound.end()}, "(alpha2, alpha3, alpha1)");
    if (!(determinant(springs) > 0 && std::isfinite(determinant(springs)))) {
      throw base::UserError(
          springs.k0 > 0 ? "k1" : "k0",
          "det K must be > 0 and finite; the stiffness matrix K is singular unless "
          "k1, k2, k3 > 0, or k0 > 0 and at least two of k1, k2, k3 > 0");
    }
  }
};

/// Persoz's gephyroid. Two branches are in parallel: the spring k2 in series with the St-Venant
/// element α3, and the spring k3 in series with the element α2. A bridge, the spring k1 and the
/// element α1 in parallel, connects the middles of the branches. The spring k0 connects both
/// branches with the mass:
///     m y' = F - δ x + E W,   W' + K A(W) ∋ -k0 U y,   W = (g2, g3, g1),  U = (1, 1, -1),
/// where A(W) is the normal cone at W of the box |g_i| ≤ α_i. The state is x, y, g2, g3, g1.
/// Source: (6) to (12), persoz-gephyroid.
class Persoz final : public Inclusion, private PersozParameters {
 public:
  explicit Persoz(const ParameterValues& values)
      : PersozParameters(values),
        mass_(values.number("m")),
        force_(force_on_mass(springs)),
        projection_(stiffness_matrix(springs), bound) {}

  void drift(const TimeStep& now, std::span<const double> state,
             std::span<double> rate) const override {
    rate[0] = state[1];
    rate[1] = (now.force - restoring(state)) / mass_;
    rate[2] = rate[3] = -springs.k0 * state[1];
    rate[4] = springs.k0 * state[1];
  }
  double resolve(const TimeStep& /*now*/, std::span<double> state) override {
    std::ranges::copy(projection_.project({state[2], state[3], state[4]}), state.begin() + 2);
    return 0.0;
  }
  [[nodiscard]] double restoring(std::span<const double> state) const override {
    return force_.stiffness * state[0] - force_.of(state.subspan(2));
  }
  [[nodiscard]] std::vector<StVenant> elements() const override { return projection_.elements(2); }

 private:
  double mass_;
  GephyroidForce force_;
  BoxProjection3 projection_;
};

/// Persoz's gephyroid without a mass: x = (F + E W)/δ,
///     W' + Q A(W) ∋ -U F',   Q⁻¹ = K⁻¹ + EᵀE/δ,   for which Q Eᵀ/δ = U.
/// The state is x, g2, g3, g1. A step replaces hF' by F(t_{p+1}) - F(t_p). Source: §4.1,
/// persoz-gephyroid.
class PersozQuasistatic final : public Inclusion, private PersozParameters {
 public:
  explicit PersozQuasistatic(const ParameterValues& values)
      : PersozParameters(values),
        force_(force_on_mass(springs)),
        projection_(quasistatic_matrix(springs), bound) {}

  /// Computes x at t = 0 from F(0).
  void complete_start(double force, std::span<double> state) const override {
    state[0] = position(force, state);
  }
  /// The rate of x is set to 0, because x has no differential equation: resolve() computes x.
  void drift(const TimeStep& now, std::span<const double> /*state*/,
             std::span<double> rate) const override {
    const double force_rate = (now.next_force - now.force) / now.step;
    rate[0] = 0.0;
    rate[1] = rate[2] = -force_rate;
    rate[3] = force_rate;
  }
  double resolve(const TimeStep& now, std::span<double> state) override {
    std::ranges::copy(projection_.project({state[1], state[2], state[3]}), state.begin() + 1);
    state[0] = position(now.next_force, state);
    return 0.0;
  }
  [[nodiscard]] double restoring(std::span<const double> state) const override {
    return force_.stiffness * state[0] - force_.of(state.subspan(1));
  }
  [[nodiscard]] std::vector<StVenant> elements() const override { return projection_.elements(1); }

 private:
  [[nodiscard]] double position(double force, std::span<const double> state) const {
    return (force + force_.of(state.subspan(1))) / force_.stiffness;
  }

  GephyroidForce force_;
  BoxProjection3 projection_;
};

}  // namespace

CatalogueEntry persoz() {
  std::vector<Parameter> parameters = PersozParameters::list(Range::not_negative);
  parameters.insert(parameters.begin(), {"m", "mass", Range::positive, 1, 1.0});
  return {{.name = "persoz",
           .title = "Persoz's gephyroid, four springs and three St-Venant elements",
           .equation = "x' = y\nm y' = F - delta x + E W\nW' + K A(W) ∋ -k0 U y\n"
                       "W = (g2, g3, g1), |g_i| <= alpha_i, U = (1, 1, -1), E = k0 U^T K^-1, "
                       "delta = k0 (1 - E U)\n"
                       "K = [k0+k2, k0, -k0-k2; k0, k0+k3, -k0-k3; -k0-k2, -k0-k3, k0+k1+k2+k3]",
           .parameters = parameters,
           .state = {{"x"}, {"y"}, {"g2"}, {"g3"}, {"g1"}},
           .order = "1",
           .source = "(6) to (12), figure 2, persoz-gephyroid"},
          made<Persoz>};
}

CatalogueEntry persoz_quasistatic() {
  return {{.name = "persoz-quasistatic",
           .title = "Persoz's gephyroid without a mass",
           .equation = "x = (F + E W)/delta\nW' + Q A(W) ∋ -Q E^T F'/delta\n"
                       "Q^-1 = K^-1 + E^T E/delta; W, E, K, delta as in persoz",
           .parameters = PersozParameters::list(Range::positive),
           .state = {{"x", GroupSize::one, Start::follows}, {"g2"}, {"g3"}, {"g1"}},
           .order = ">=1",
           .source = "section 4.1, persoz-gephyroid"},
          made<PersozQuasistatic>};
}

}  // namespace masing::rheology
