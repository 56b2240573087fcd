#pragma once

#include <span>

#include "rheology/box_projection.hpp"

namespace masing::rheology {

/// The stiffnesses of the springs of Persoz's gephyroid (persoz.cpp).
struct GephyroidSprings {
  double k0 = 1.0;
  double k1 = 1.0;
  double k2 = 1.0;
  double k3 = 1.0;
};

/// Returns det K = k1 k2 k3 + k0 (k1 k2 + k1 k3 + k2 k3). For stiffnesses ≥ 0 the matrix K is
/// positive definite if and only if det K > 0. Local. Source: (10) with "positive" in (10b),
/// persoz-gephyroid.
double determinant(const GephyroidSprings& k);

/// Returns the matrix K, which acts on the forces W = (g2, g3, g1) of the St-Venant elements.
/// Local. Source: (7), persoz-gephyroid.
Matrix3 stiffness_matrix(const GephyroidSprings& k);

/// Returns the matrix Q = (K⁻¹ + EᵀE/δ)⁻¹ of the model without a mass; E, δ and U are defined at
/// GephyroidForce. Q⁻¹ differs from K⁻¹ by a matrix of rank one. With K Eᵀ = k0 U and k0 E U = k0 -
/// δ it follows that
///     Q = K - k0 U Uᵀ,   Q Eᵀ/δ = U.
/// This Q equals the matrix K of the same springs with k0 = 0: without a mass, spring 0 is in
/// series with the gephyroid and only transmits the force. Local.
Matrix3 quasistatic_matrix(const GephyroidSprings& k);

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
GephyroidForce force_on_mass(const GephyroidSprings& k);

}  // namespace masing::rheology
