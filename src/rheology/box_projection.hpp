#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "rheology/inclusion.hpp"

// This file computes projections on a box in the norm of K⁻¹. The matrix K is either K = k0·11ᵀ +
// diag(k_i) of any size, where 1 is the vector of ones, or any symmetric positive definite 3×3
// matrix. Such a projection is the resolvent of elements whose forces are coupled by the stiffness
// matrix K.

namespace masing::rheology {

/// The data of a projection on a box in the norm of K⁻¹ with K = k0·11ᵀ + diag(k_i).
struct BoxElements {
  std::span<const double> value;       ///< v_i, the point to be projected, [n]
  std::span<const double> bound;       ///< α_i ≥ 0; the box is |w_i| ≤ α_i, [n]
  std::span<const double> compliance;  ///< 1/k_i > 0, [n]
  double coupling = 0.0;               ///< k0 ≥ 0
  double total_compliance = 0.0;       ///< Σ 1/k_i
};

/// Returns the number τ that determines the projection: the projected point is w_i = clamp(v_i - τ,
/// -α_i, α_i). τ is the root of a strictly increasing, piecewise linear function,
///     τ - k0 Σ_i r_i(τ)/k_i = 0,   r_i(τ) = (v_i - τ) - clamp(v_i - τ, -α_i, α_i).
/// At the iterate τ_n, let A and B be sums over those elements for which |v_i - τ_n| > α_i:
///     A = Σ 1/k_i,   B = Σ (v_i - sign(r_i) α_i)/k_i.
/// On the linear piece that contains τ_n, the function is τ (1 + k0 A) - k0 B. The root of this
/// linear function is the next iterate of Newton's method. The iteration ends when the change of τ
/// or the bracket of the root is within rounding errors. It always ends, because every eighth step
/// bisects the bracket. Returns NaN if a v_i is infinite or a sum may exceed 1e200. If a v_i is
/// NaN, the result is not specified. Local. Source: (2.34) with (4.2), rheological-models-2000.
double common_shift(const BoxElements& elements);

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;

/// The projection on a box in the norm of K⁻¹ for a symmetric positive definite 3×3 matrix K:
///     argmin_w ½ (w - v)ᵀ K⁻¹ (w - v),   |w_i| ≤ α_i.
/// On a face of the box, the w_i of a set of indices are held at α_i or -α_i. Let λ = K⁻¹(v - w).
/// λ_i is 0 for all indices outside of this set; the equations K λ = v - w of the indices in the
/// set determine the other λ_i. The 27 faces, which include the interior of the box, are tried one
/// after another. A face passes if |w_i| ≤ α_i outside of the set and if λ_i in the set has the
/// sign of the held w_i or is 0. If rounding errors let no face pass, the face with the smallest
/// violation of these conditions is taken. So the number of operations is bounded. Source: (11c),
/// persoz-gephyroid.
class BoxProjection3 {
 public:
  /// Throws UserError unless the matrix is positive definite by more than rounding errors.
  BoxProjection3(const Matrix3& matrix, const Vector3& bound);

  /// Returns the projection of `value`: the point of the box that is nearest to `value` in the norm
  /// of K⁻¹. Local; the function allocates no memory.
  [[nodiscard]] Vector3 project(const Vector3& value) const;
  /// Returns the three St-Venant elements; the box bounds their forces. The force of element i is
  /// the column first + i of the state. Local.
  [[nodiscard]] std::vector<StVenant> elements(std::size_t first) const {
    return box_elements(first, bound_, [&](std::size_t i, std::size_t j) { return matrix_[i][j]; });
  }

 private:
  static constexpr std::size_t size = 3;
  static constexpr std::size_t sets = 1 << size;

  /// The point w that is computed for a face, and the largest violation of a condition. A violation
  /// by λ_i is multiplied by K_ii, which gives it the unit of w.
  struct Candidate {
    Vector3 point{};
    double violation = 0.0;
  };

  static bool holds(std::size_t set, std::size_t i) { return ((set >> i) & 1U) != 0; }
  [[nodiscard]] Candidate on_face(std::size_t set, std::size_t upper, const Vector3& value) const;

  Matrix3 matrix_;
  Vector3 bound_;
  // For each set of indices (a bit mask), the inverse of the submatrix of K with the rows and
  // columns of the set.
  std::array<Matrix3, sets> inverse_{};
};

}  // namespace masing::rheology
