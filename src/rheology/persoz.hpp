#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "rheology/box_projection.hpp"
#include "rheology/inclusion.hpp"
#include "rheology/model_info.hpp"

namespace masing::rheology {

/// The stiffnesses of the springs of Persoz's gephyroid, which is described at the class Persoz.
struct GephyroidSprings {
  double k0 = 1.0;
  double k1 = 1.0;
  double k2 = 1.0;
  double k3 = 1.0;
};

/// Returns det K = k1 k2 k3 + k0 (k1 k2 + k1 k3 + k2 k3). For stiffnesses ≥ 0 the matrix K is
/// positive definite if and only if det K > 0. Local. Source: (10) with "positive" in (10b),
/// persoz-gephyroid.
inline double determinant(const GephyroidSprings& k) {
  return k.k1 * k.k2 * k.k3 + k.k0 * (k.k1 * k.k2 + k.k1 * k.k3 + k.k2 * k.k3);
}

/// Returns the matrix K, which acts on the forces W = (g2, g3, g1) of the St-Venant elements.
/// Local. Source: (7), persoz-gephyroid.
inline Matrix3 stiffness_matrix(const GephyroidSprings& k) {
  const double a = k.k0 + k.k2;
  const double b = k.k0 + k.k3;
  return {{{a, k.k0, -a}, {k.k0, b, -b}, {-a, -b, k.k0 + k.k1 + k.k2 + k.k3}}};
}

/// Returns the matrix Q = (K⁻¹ + EᵀE/δ)⁻¹ of the model without a mass; E, δ and U are defined at
/// GephyroidForce. Q⁻¹ differs from K⁻¹ by a matrix of rank one. With K Eᵀ = k0 U and k0 E U = k0 -
/// δ it follows that
///     Q = K - k0 U Uᵀ,   Q Eᵀ/δ = U.
/// This Q equals the matrix K of the same springs with k0 = 0: without a mass, spring 0 is in
/// series with the gephyroid and only transmits the force. Local.
inline Matrix3 quasistatic_matrix(const GephyroidSprings& k) {
  return stiffness_matrix({.k0 = 0.0, .k1 = k.k1, .k2 = k.k2, .k3 = k.k3});
}

/// The coefficients of the force on the mass: x'' = (F - δ x + E W)/m.
struct GephyroidForce {
  Vector3 friction{};      ///< E = k0 Uᵀ K⁻¹, U = (1, 1, -1)
  double stiffness = 0.0;  ///< δ = k0 (1 - E U), which is (Σ 1/k_i)⁻¹ if all k_i > 0

  /// Returns E W for W = (g2, g3, g1).
  [[nodiscard]] double of(std::span<const double> forces) const {
    return friction[0] * forces[0] + friction[1] * forces[1] + friction[2] * forces[2];
  }
};

/// Returns E and δ, computed as quotients of sums without cancellation; det K must be > 0. Local.
/// Source: (6) and (8), persoz-gephyroid, which does not define δ.
inline GephyroidForce force_on_mass(const GephyroidSprings& k) {
  const double scale = k.k0 / determinant(k);
  return {
      .friction = {scale * k.k3 * (k.k1 + k.k2), scale * k.k2 * (k.k1 + k.k3), scale * k.k2 * k.k3},
      .stiffness = scale * k.k1 * k.k2 * k.k3};
}

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
  /// element.
  explicit PersozParameters(const ParameterValues& values)
      : springs{values.number("k0"), values.number("k1"), values.number("k2"), values.number("k3")},
        bound{values.number("alpha2"), values.number("alpha3"), values.number("alpha1")} {
    // g0 is given in the order of the state: g2, g3, g1.
    values.require_within("g0", {bound.begin(), bound.end()}, "(alpha2, alpha3, alpha1)");
  }
};

/// Persoz's gephyroid. Two branches are in parallel: the spring k2 in series with the St-Venant
/// element α3, and the spring k3 in series with the element α2. A bridge, the spring k1 and the
/// element α1 in parallel, connects the middles of the branches. The spring k0 connects both
/// branches with the mass:
///     m y' = F - δ x + E W,   W' + K A(W) ∋ -k0 U y,   W = (g2, g3, g1),  U = (1, 1, -1),
/// where A(W) is the normal cone at W of the box |g_i| ≤ α_i. The state is x, y, g2, g3, g1.
/// Source: (6) to (12), persoz-gephyroid.
class Persoz {
 public:
  static ModelInfo info() {
    std::vector<Parameter> parameters = PersozParameters::list(Range::not_negative);
    parameters.insert(parameters.begin(), {"m", "mass", Range::positive, 1, 1.0});
    return {.name = "persoz",
            .title = "Persoz's gephyroid, four springs and three St-Venant elements",
            .equation =
                "x' = y\nm y' = F - delta x + E W\nW' + K A(W) ∋ -k0 U y\n"
                "W = (g2, g3, g1), |g_i| <= alpha_i, U = (1, 1, -1), E = k0 U^T K^-1, "
                "delta = k0 (1 - E U)\n"
                "K = [k0+k2, k0, -k0-k2; k0, k0+k3, -k0-k3; -k0-k2, -k0-k3, k0+k1+k2+k3]",
            .phi = "psi[-alpha2,alpha2](g2) + psi[-alpha3,alpha3](g3) + psi[-alpha1,alpha1](g1)",
            .matrix = "diag(I, K), I of x and y",
            .parameters = parameters,
            .state = {{"x"}, {"y"}, {"g2"}, {"g3"}, {"g1"}},
            .order = "1",
            .source = "(6) to (12), figure 2, persoz-gephyroid"};
  }

  explicit Persoz(const ParameterValues& values) : Persoz(values, PersozParameters(values)) {}

  void drift(const TimeStep& now, std::span<const double> state, std::span<double> rate) const {
    rate[0] = state[1];
    rate[1] = (now.force - restoring(state, 0.0)) / mass_;
    rate[2] = rate[3] = -k0_ * state[1];
    rate[4] = k0_ * state[1];
  }
  [[nodiscard]] double resolve(const TimeStep& /*now*/, std::span<double> state) const {
    std::ranges::copy(projection_.project({state[2], state[3], state[4]}), state.begin() + 2);
    return 0.0;
  }
  [[nodiscard]] double restoring(std::span<const double> state, double /*friction*/) const {
    return force_.stiffness * state[0] - force_.of(state.subspan(2));
  }
  [[nodiscard]] std::vector<StVenant> elements() const { return projection_.elements(2); }

 private:
  /// Throws UserError unless K is positive definite.
  Persoz(const ParameterValues& values, const PersozParameters& p)
      : mass_(values.number("m")),
        k0_(p.springs.k0),
        force_(force_on_mass(checked(p).springs)),
        projection_(stiffness_matrix(p.springs), p.bound) {}

  static const PersozParameters& checked(const PersozParameters& p) {
    if (!std::isfinite(determinant(p.springs))) {
      throw base::UserError(
          "k0",
          "products of three stiffnesses exceed what a double holds; give them in other units");
    }
    if (!(determinant(p.springs) > 0)) {
      throw base::UserError(
          p.springs.k0 > 0 ? "k1" : "k0",
          "the stiffness matrix K is singular; give k1, k2, k3 > 0, or k0 > 0 and "
          "at least two of k1, k2, k3 > 0");
    }
    return p;
  }

  double mass_;
  double k0_;
  GephyroidForce force_;
  BoxProjection3 projection_;
};

/// Persoz's gephyroid without a mass: x = (F + E W)/δ,
///     W' + Q A(W) ∋ -U F',   Q⁻¹ = K⁻¹ + EᵀE/δ,   for which Q Eᵀ/δ = U.
/// The state is x, g2, g3, g1. A step replaces hF' by F(t_{p+1}) - F(t_p). Source: §4.1,
/// persoz-gephyroid.
class PersozQuasistatic {
 public:
  static ModelInfo info() {
    return {.name = "persoz-quasistatic",
            .title = "Persoz's gephyroid without a mass",
            .equation =
                "x = (F + E W)/delta\nW' + Q A(W) ∋ -Q E^T F'/delta\n"
                "Q^-1 = K^-1 + E^T E/delta; W, E, K, delta as in persoz",
            .phi = "psi[-alpha2,alpha2](g2) + psi[-alpha3,alpha3](g3) + psi[-alpha1,alpha1](g1)",
            .matrix = "Q, of W alone",
            .parameters = PersozParameters::list(Range::positive),
            .state = {{"x", GroupSize::one, Start::follows}, {"g2"}, {"g3"}, {"g1"}},
            .order = ">=1",
            .source = "section 4.1, persoz-gephyroid"};
  }

  explicit PersozQuasistatic(const ParameterValues& values)
      : PersozQuasistatic(PersozParameters(values)) {}

  /// Computes x at t = 0 from F(0).
  void complete_start(double force, std::span<double> state) const {
    state[0] = position(force, state);
  }
  /// The rate of x is set to 0, because x has no differential equation: resolve() computes x.
  void drift(const TimeStep& now, std::span<const double> /*state*/, std::span<double> rate) const {
    const double force_rate = (now.next_force - now.force) / now.step;
    rate[0] = 0.0;
    rate[1] = rate[2] = -force_rate;
    rate[3] = force_rate;
  }
  [[nodiscard]] double resolve(const TimeStep& now, std::span<double> state) const {
    std::ranges::copy(projection_.project({state[1], state[2], state[3]}), state.begin() + 1);
    state[0] = position(now.next_force, state);
    return 0.0;
  }
  [[nodiscard]] double restoring(std::span<const double> state, double /*friction*/) const {
    return force_.stiffness * state[0] - force_.of(state.subspan(1));
  }
  [[nodiscard]] std::vector<StVenant> elements() const { return projection_.elements(1); }

 private:
  explicit PersozQuasistatic(const PersozParameters& p)
      : force_(force_on_mass(p.springs)), projection_(quasistatic_matrix(p.springs), p.bound) {}

  [[nodiscard]] double position(double force, std::span<const double> state) const {
    return (force + force_.of(state.subspan(1))) / force_.stiffness;
  }

  GephyroidForce force_;
  BoxProjection3 projection_;
};

}  // namespace masing::rheology
