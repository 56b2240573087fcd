#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/block_sum.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "rheology/inclusion.hpp"

// The projection on a box in the norm of K⁻¹: for K = k0·11ᵀ + diag(k_i) of any size, and for any
// 3×3 K.

namespace masing::rheology {

/// Elements of a projection in the norm of K⁻¹, K = k0·11ᵀ + diag(k_i): all of them, or those of a
/// rank. The first must lie on a block limit (base::block_cells).
struct BoxElements {
  std::span<const double> value;       ///< v_i, [n_local]
  std::span<const double> bound;       ///< α_i ≥ 0, [n_local]
  std::span<const double> compliance;  ///< 1/k_i > 0, [n_local]
};

/// What couples the elements: k0 ≥ 0, and Σ 1/k_i over all of them.
struct Coupling {
  double stiffness = 0.0;
  double compliance = 0.0;
};

/// The farthest that an element lies above and below its box: max(v_i - α_i, 0) and
/// max(-α_i - v_i, 0). Local.
std::array<double, 2> farthest_excess(const BoxElements& elements);

/// Units of the sums A and B below; any order and grouping gives them the same bits.
using YieldingUnits = std::array<std::int64_t, 2>;

/// The one unknown of the projection: its point is w_i = clamp(v_i - τ, -α_i, α_i) with the root τ
/// of a strictly increasing, piecewise linear function,
///     τ - k0 Σ_i r_i(τ)/k_i = 0,   r_i(τ) = (v_i - τ) - clamp(v_i - τ, -α_i, α_i).
/// With the sums over the elements outside their boxes at some τ,
///     A = Σ 1/k_i,   B = Σ (v_i - sign(r_i) α_i)/k_i,
/// its piece there is τ (1 + k0 A) - k0 B, and the root of the piece is Newton's next point. The
/// root is found when it lies on its own piece; a bracket that each evaluation narrows makes this
/// end. Every decision follows from sums that are the same on all ranks.
/// Source: (2.34) with (4.2), rheological-models-2000.
class ShiftSearch {
 public:
  /// `excess` as of farthest_excess, over all ranks: the root lies in [-excess[1], excess[0]] and
  /// |v_i - sign(r_i) α_i| ≤ max(excess) while τ does. `guess` is where to begin: the last step's
  /// root, say. Local.
  ShiftSearch(const Coupling& coupling, const std::array<double, 2>& excess, double guess);

  /// Whether shift() is the root, to rounding; NaN where the excess is not finite.
  [[nodiscard]] bool found() const { return found_; }
  /// τ: where to take the sums, or the root.
  [[nodiscard]] double shift() const { return shift_; }
  /// The local part of A and B at shift(); their sums over the ranks go to advance(). Local.
  [[nodiscard]] YieldingUnits yielding(const BoxElements& elements) const;
  /// Newton's step, or a bisection where it leaves the bracket or the bracket shrinks too slowly.
  void advance(const YieldingUnits& units);

 private:
  double stiffness_;
  double least_;
  double greatest_;
  double resolution_;
  double shift_;
  std::array<base::FixedPoint, 2> scales_;  // of A and B
  int evaluations_ = 0;
  bool found_;
};

/// The root τ over all ranks. `reduction` is base::NoReduction or one over ranks: one
/// maximum, then a sum per evaluation, some three.
/// Collective if the reduction is.
template <typename Reduction>
double common_shift(const BoxElements& elements, const Coupling& coupling, double guess,
                    const Reduction& reduction) {
  std::array<double, 2> excess = farthest_excess(elements);
  reduction.max(excess);
  ShiftSearch search(coupling, excess, guess);
  while (!search.found()) {
    YieldingUnits units = search.yielding(elements);
    reduction.sum(units);
    search.advance(units);
  }
  return search.shift();
}

/// The point of the projection: w_i = clamp(v_i - τ, -α_i, α_i), [n_local]; `point` may be the
/// values themselves. Local.
void project_shifted(std::span<const double> value, std::span<const double> bound, double shift,
                     std::span<double> point);

using Vector3 = std::array<double, 3>;
using Matrix3 = std::array<Vector3, 3>;

/// The projection on a box for the norm of K⁻¹, K a symmetric positive definite 3×3 matrix:
///     argmin_w ½ (w - v)ᵀ K⁻¹ (w - v),   |w_i| ≤ α_i.
/// With λ = K⁻¹(v - w): on a face where a set of w_i is held at ±α_i, λ vanishes off the set, and
/// on it solves K λ = v - w. The face whose w and λ break the least of |w_i| ≤ α_i and ±λ_i ≥ 0 is
/// the one; all 27 faces are tried, so there is nothing to cycle. Needs no K⁻¹.
/// Source: (11c), persoz-gephyroid.
class ActiveSetProjection {
 public:
  /// Throws UserError where the matrix is not positive definite beyond rounding.
  ActiveSetProjection(const Matrix3& matrix, const Vector3& bound);

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
  void invert(std::size_t set);
  [[nodiscard]] Candidate on_face(std::size_t set, std::size_t upper, const Vector3& value) const;

  Matrix3 matrix_;
  Vector3 bound_;
  std::array<Matrix3, sets> inverse_{};  // of the rows and columns of each set
};

}  // namespace masing::rheology
