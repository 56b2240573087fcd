#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::slab {

/// Σ k and Σ k θ over a set of cells as integers, so that they have the same bits in any order.
struct ExactSums {
  Int128 stiffness = 0;  ///< in units of C·2⁻¹⁰⁰, C ≥ P max k
  Int128 force = 0;      ///< in units of C·2⁻¹⁰⁰, C ≥ 2P max k η

  ExactSums& operator+=(const ExactSums& other) {
    stiffness += other.stiffness;
    force += other.force;
    return *this;
  }
};

/// Turns the terms of a cell into integers and sums into numbers. A term loses at most 2⁻¹⁰⁰ C: 64
/// bits for each of 10⁷ cells would bias their sum by 1e-12.
class ExactScale {
 public:
  /// The largest k and the largest k η of all `cells` cells: |θ| ≤ 2η is assumed. Throws UserError
  /// where one is not within [1e-200, 1e200].
  ExactScale(double stiffness_bound, double force_bound, std::int64_t cells);

  /// k and k θ of one cell.
  [[nodiscard]] ExactSums term(double stiffness, double threshold) const {
    return {static_cast<Int128>(stiffness * stiffness_units_),
            static_cast<Int128>(stiffness * threshold * force_units_)};
  }

  /// δs Σ k and δs Σ k θ, δs = 1/P: the integers rounded once, then divided by P.
  [[nodiscard]] Sums value(const ExactSums& sums) const {
    return {static_cast<double>(sums.stiffness) / stiffness_units_ / cells_,
            static_cast<double>(sums.force) / force_units_ / cells_};
  }

 private:
  double stiffness_units_;  // a power of two
  double force_units_;      // a power of two
  double cells_;
};

/// The measure of a profile, all P cells: exact sums, each rounded once, in the order of η. A
/// look-up costs some 5 ns where the front moves smoothly, whatever P. Throws UserError as
/// ExactScale. Local.
std::shared_ptr<const Measure> make_cell_measure(const Profile& all);

/// The same of springs, \f$ \sum_i k_i u_i \f$, with all that a Measure may tell.
std::shared_ptr<const Measure> make_spring_measure(std::vector<Element> springs);

}  // namespace masing::slab
