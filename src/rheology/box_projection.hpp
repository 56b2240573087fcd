#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "rheology/inclusion.hpp"

// The projection on a box in the norm of K⁻¹: for K = k0·11ᵀ + diag(k_i) of any size, and for any
// 3×3 K.

namespace masing::rheology {

/// Elements of a projection in the norm of K⁻¹, K = k0·11ᵀ + diag(k_i).
struct BoxElements {
  std::span<const double> value;       ///< v_i, [n]
  std::span<const double> bound;       ///< α_i ≥ 0, [n]
  std::span<const double> compliance;  ///< 1/k_i > 0, [n]
  double coupling = 0.0;               ///< k0 ≥ 0
  double total_compliance = 0.0;       ///< Σ 1/k_i
};

/// The one unknown τ of the projection, whose point is w_i = clamp(v_i - τ, -α_i, α_i): the root of
/// a strictly increasing, piecewise linear function,
///     τ - k0 Σ_i r_i(τ)/k_i = 0,   r_i(τ) = (v_i - τ) - clamp(v_i - τ, -α_i, α_i).
/// With the sums over the elements outside their boxes at some τ,
///     A = Σ 1/k_i,   B = Σ (v_i - sign(r_i) α_i)/k_i,
/// its piece there is τ (1 + k0 A) - k0 B, and the root of the piece is Newton's next point. The
/// root is found when it lies on its own piece; a bracket that each evaluation narrows makes this
/// end. NaN where a value is not finite. Local. Source: (2.34) with (4.2), rheological-models-2000.
double common_shift(const BoxElements& elements);

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;

/// The projection on a box for the norm of K⁻¹, K a symmetric positive definite 3×3 matrix:
///     argmin_w ½ (w - v)ᵀ K⁻¹ (w - v),   |w_i| ≤ α_i.
/// With λ = K⁻¹(v - w): on a face where a set of w_i is held at ±α_i, λ vanishes off the set, and
/// on it solves K λ = v - w. The face whose w and λ break the least of |w_i| ≤ α_i and ±λ_i ≥ 0 is
/// the one; all 27 faces are tried, so there is nothing to cycle. Needs no K⁻¹.
/// Source: (11c), persoz-gephyroid.
class BoxProjection3 {
 public:
  /// Throws UserError where the matrix is not positive definite beyond rounding.
  BoxProjection3(const Matrix3& matrix, const Vector3& bound);

  /// The point of the box nearest to `value`. Local; allocates nothing.
  [[nodiscard]] Vector3 project(const Vector3& value) const;
  /// The elements that the box bounds, from column `first` on. Local.
  [[nodiscard]] std::vector<StVenant> elements(std::size_t first) const {
    return box_elements(first, bound_, [&](std::size_t i, std::size_t j) { return matrix_[i][j]; });
  }

 private:
  static constexpr std::size_t size = 3;
  static constexpr std::size_t sets = 1 << size;

  /// Where w lies on a face, and by how much it breaks an inequality there, in the unit of w.
  struct Candidate {
    Vector3 point{};
    double violation = 0.0;
  };

  static bool holds(std::size_t set, std::size_t i) { return ((set >> i) & 1U) != 0; }
  [[nodiscard]] Candidate on_face(std::size_t set, std::size_t upper, const Vector3& value) const;

  Matrix3 matrix_;
  Vector3 bound_;
  std::array<Matrix3, sets> inverse_{};  // of the rows and columns of each set
};

}  // namespace masing::rheology
