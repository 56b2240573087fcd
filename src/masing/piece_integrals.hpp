#pragma once

#include <vector>

#include "masing/monotone_pieces.hpp"
#include "masing/turning_points.hpp"

namespace masing {

/// ∫ k ds and ∫ k θ ds over the part of a monotone piece where θ(s) ≤ r.
class PieceIntegrals {
 public:
  PieceIntegrals(const MonotonePiece& piece, const Density& threshold, const Density& stiffness);

  [[nodiscard]] double lowest() const;
  [[nodiscard]] double highest() const;
  /// Over the whole piece.
  [[nodiscard]] Sums total() const { return up_to_.back(); }
  /// The s with θ(s) = r, the nearest end where there is none.
  [[nodiscard]] double place_of(double r) const;
  /// From the end where θ is lowest to `s`.
  [[nodiscard]] Sums below_place(double s) const;
  /// ∫ k ds between two places, a smooth bit of the piece, ≥ 0.
  [[nodiscard]] double stiffness_between(double s, double s_next) const;
  /// ∫ k (r - θ) ds between two places where θ ≤ r, a smooth bit of the piece, ≥ 0.
  [[nodiscard]] double shortfall_between(double s, double s_next, double r) const;

 private:
  MonotonePiece piece_;
  const Density* threshold_;
  const Density* stiffness_;
  std::vector<Sums> up_to_;  // at uniform places from the lowest end
};

}  // namespace masing
