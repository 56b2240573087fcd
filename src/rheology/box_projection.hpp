#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/block_sum.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "rheology/inclusion.hpp"

// The projection on a box in the norm of K⁻¹: for K = k0·11ᵀ + diag(k_i) of any size, and for any
// small K.

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

template <std::size_t N>
using SmallVector = std::array<double, N>;
template <std::size_t N>
using SmallMatrix = std::array<std::array<double, N>, N>;

/// The projection on a box for the norm of K⁻¹, K a small symmetric positive definite matrix:
///     argmin_w ½ (w - v)ᵀ K⁻¹ (w - v),   |w_i| ≤ α_i.
/// With λ = K⁻¹(v - w): on a face where a set of w_i is held at ±α_i, λ vanishes off the set, and
/// on it solves K λ = v - w. The face whose w and λ break the least of |w_i| ≤ α_i and ±λ_i ≥ 0 is
/// the one; all 3^N faces are tried, so there is nothing to cycle. Needs no K⁻¹.
/// Source: (11c), persoz-gephyroid.
template <std::size_t N>
class ActiveSetProjection {
 public:
  /// Throws UserError where the matrix is not positive definite beyond rounding.
  ActiveSetProjection(const SmallMatrix<N>& matrix, const SmallVector<N>& bound);

  /// The point of the box nearest to `value`. Local; allocates nothing.
  [[nodiscard]] SmallVector<N> project(const SmallVector<N>& value) const;
  /// The elements that the box bounds, from column `first` on. Local.
  [[nodiscard]] std::vector<StVenant> elements(std::size_t first) const {
    return box_elements(first, bound_, [&](std::size_t i, std::size_t j) { return matrix_[i][j]; });
  }

 private:
  static constexpr std::size_t sets = std::size_t{1} << N;

  /// Where w lies on a face, and by how much it breaks an inequality there, in the unit of w.
  struct Candidate {
    SmallVector<N> point{};
    double violation = 0.0;
  };

  static bool holds(std::size_t set, std::size_t i) { return ((set >> i) & 1U) != 0; }
  void invert(std::size_t set);
  [[nodiscard]] Candidate on_face(std::size_t set, std::size_t upper,
                                  const SmallVector<N>& value) const;

  SmallMatrix<N> matrix_;
  SmallVector<N> bound_;
  std::array<SmallMatrix<N>, sets> inverse_{};  // of the rows and columns of each set
};

template <std::size_t N>
ActiveSetProjection<N>::ActiveSetProjection(const SmallMatrix<N>& matrix,
                                            const SmallVector<N>& bound)
    : matrix_(matrix), bound_(bound) {
  for (std::size_t set = 0; set < sets; ++set) {
    invert(set);
  }
}

template <std::size_t N>
void ActiveSetProjection<N>::invert(std::size_t set) {
  // Gauss-Jordan without pivoting: stable where the matrix is positive definite.
  SmallMatrix<N> left = matrix_;
  SmallMatrix<N>& right = inverse_[set];
  for (std::size_t i = 0; i < N; ++i) {
    right[i][i] = holds(set, i) ? 1.0 : 0.0;
  }
  for (std::size_t pivot = 0; pivot < N; ++pivot) {
    if (!holds(set, pivot)) {
      continue;
    }
    // What is left of the diagonal must be more than its rounding.
    constexpr double rounding = 16 * base::epsilon;
    if (!(left[pivot][pivot] > rounding * matrix_[pivot][pivot] &&
          std::isfinite(left[pivot][pivot]))) {
      throw base::UserError(
          "the stiffness matrix is singular to rounding; give stiffnesses closer in size");
    }
    for (std::size_t row = 0; row < N; ++row) {
      const double factor = left[row][pivot] / left[pivot][pivot];
      for (std::size_t column = 0; row != pivot && holds(set, row) && column < N; ++column) {
        left[row][column] -= factor * left[pivot][column];
        right[row][column] -= factor * right[pivot][column];
      }
    }
  }
  for (std::size_t row = 0; row < N; ++row) {
    for (std::size_t column = 0; holds(set, row) && column < N; ++column) {
      right[row][column] /= left[row][row];
    }
  }
}

template <std::size_t N>
typename ActiveSetProjection<N>::Candidate ActiveSetProjection<N>::on_face(
    std::size_t set, std::size_t upper, const SmallVector<N>& value) const {
  Candidate candidate;
  SmallVector<N> multiplier{};
  const auto held_at = [&](std::size_t i) { return holds(upper, i) ? bound_[i] : -bound_[i]; };
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; holds(set, i) && j < N; ++j) {
      multiplier[i] += holds(set, j) ? inverse_[set][i][j] * (value[j] - held_at(j)) : 0.0;
    }
  }
  for (std::size_t i = 0; i < N; ++i) {
    if (holds(set, i)) {
      const double outward = holds(upper, i) ? multiplier[i] : -multiplier[i];
      candidate.point[i] = held_at(i);
      candidate.violation = std::max(candidate.violation, -outward * matrix_[i][i]);
      continue;
    }
    double free = value[i];
    for (std::size_t j = 0; j < N; ++j) {
      free -= matrix_[i][j] * multiplier[j];
    }
    candidate.point[i] = std::clamp(free, -bound_[i], bound_[i]);
    candidate.violation = std::max(candidate.violation, std::abs(free) - bound_[i]);
  }
  return candidate;
}

template <std::size_t N>
SmallVector<N> ActiveSetProjection<N>::project(const SmallVector<N>& value) const {
  Candidate best;
  best.violation = std::numeric_limits<double>::infinity();
  best.point.fill(base::undefined);
  for (std::size_t set = 0; set < sets; ++set) {
    // The subsets of `set`: which of it are held at the upper bound.
    for (std::size_t upper = set;; upper = (upper - 1) & set) {
      const Candidate candidate = on_face(set, upper, value);
      if (candidate.violation < best.violation) {
        best = candidate;
      }
      if (best.violation == 0) {
        return best.point;
      }
      if (upper == 0) {
        break;
      }
    }
  }
  return best.point;
}

}  // namespace masing::rheology
