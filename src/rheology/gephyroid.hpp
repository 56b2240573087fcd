#pragma once

#include "rheology/active_set.hpp"

namespace rheology {

/// Stiffnesses of the springs of Persoz's gephyroid; spring 1 is the bridge, spring 0 holds the
/// mass.
struct GephyroidSprings {
  double k0 = 1.0;
  double k1 = 1.0;
  double k2 = 1.0;
  double k3 = 1.0;
};

/// det K = k1 k2 k3 + k0 (k1 k2 + k1 k3 + k2 k3): for stiffnesses ≥ 0, K is positive definite if
/// and only if it is > 0. Local. Source: (10) with "positive" in (10b), persoz-gephyroid.
inline double determinant(const GephyroidSprings& k) {
  return k.k1 * k.k2 * k.k3 + k.k0 * (k.k1 * k.k2 + k.k1 * k.k3 + k.k2 * k.k3);
}

/// K, for the forces W = (g2, g3, g1) of the St-Venant elements. Local.
/// Source: (7), persoz-gephyroid.
inline SmallMatrix<3> stiffness_matrix(const GephyroidSprings& k) {
  const double a = k.k0 + k.k2;
  const double b = k.k0 + k.k3;
  return {{{a, k.k0, -a}, {k.k0, b, -b}, {-a, -b, k.k0 + k.k1 + k.k2 + k.k3}}};
}

/// Q = (K⁻¹ + EᵀE/δ)⁻¹ of the massless model. As Q⁻¹ is K⁻¹ after a change of rank one, and
/// K Eᵀ = k0 U, δ = k0(1 - E U), it is K - k0 U Uᵀ: the matrix without spring 0, which in series
/// only passes the force on. For the same reasons Q Eᵀ/δ = U. Local.
inline SmallMatrix<3> quasistatic_matrix(const GephyroidSprings& k) {
  return stiffness_matrix({.k0 = 0.0, .k1 = k.k1, .k2 = k.k2, .k3 = k.k3});
}

/// How a force holds the mass: x'' = (F - δ x + E W)/m.
struct GephyroidForce {
  SmallVector<3> friction{};  ///< E = k0 Uᵀ K⁻¹, U = (1, 1, -1)
  double stiffness = 0.0;     ///< δ = k0 (1 - E U), (Σ 1/k_i)⁻¹ where all k_i > 0
};

/// E and δ, as quotients of sums without cancellation; for det K > 0. Local.
/// Source: (6) and (8), persoz-gephyroid, which leaves δ undefined.
inline GephyroidForce force_on_mass(const GephyroidSprings& k) {
  const double scale = k.k0 / determinant(k);
  return {
      .friction = {scale * k.k3 * (k.k1 + k.k2), scale * k.k2 * (k.k1 + k.k3), scale * k.k2 * k.k3},
      .stiffness = scale * k.k1 * k.k2 * k.k3};
}

}  // namespace rheology
