#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/block_sum.hpp"

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

}  // namespace masing::rheology
