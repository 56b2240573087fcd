#pragma once

#include <bit>
#include <cstdint>
#include <memory>

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

/// The whole part of a number below 2¹²⁷, as a cast gives it, in a third of the time.
inline Int128 truncated(double value) {
  constexpr int mantissa_bits = 52;
  constexpr std::uint64_t hidden_bit = std::uint64_t{1} << mantissa_bits;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int shift = static_cast<int>((bits >> mantissa_bits) & 0x7FF) - (1023 + mantissa_bits);
  const std::uint64_t mantissa = (bits & (hidden_bit - 1)) | hidden_bit;
  const Int128 magnitude = shift >= 0    ? static_cast<Int128>(mantissa) << shift
                           : shift > -64 ? static_cast<Int128>(mantissa >> -shift)
                                         : 0;
  return value < 0.0 ? -magnitude : magnitude;
}

/// Turns the terms of a cell into integers and sums into numbers. A term loses at most 2⁻¹⁰⁰ C: 64
/// bits for each of 10⁷ cells would bias their sum by 1e-12.
class ExactScale {
 public:
  /// The largest k and the largest k η of all `cells` cells: |θ| ≤ 2η is assumed. Throws UserError
  /// where one is not within [1e-200, 1e200].
  ExactScale(double stiffness_bound, double force_bound, std::int64_t cells);

  /// k and k θ of one cell.
  [[nodiscard]] ExactSums term(double stiffness, double threshold) const {
    return {truncated(stiffness * stiffness_units_),
            truncated(stiffness * threshold * force_units_)};
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

/// Joins what the parts of a slab have, each on a rank of its own (engine). Collective.
class Parts {
 public:
  Parts() = default;
  virtual ~Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  /// The exact sum over the parts.
  [[nodiscard]] virtual ExactSums sum(const ExactSums& own) const = 0;
  /// The largest value of the parts.
  [[nodiscard]] virtual double most(double own) const = 0;
};

/// The measure of a whole profile, all P cells: exact sums, each rounded once, in the order of η. A
/// look-up costs some 5 ns where the front moves smoothly, whatever P. Local.
std::shared_ptr<const Measure> make_cell_measure(const Profile& all);

/// The same, to the bit, where each part of a slab of `cells` cells keeps its own. Look-ups need
/// the same arguments in every part. Collective.
std::shared_ptr<const Measure> make_split_measure(const Profile& own, std::int64_t cells,
                                                  const std::shared_ptr<const Parts>& parts);

}  // namespace masing::slab
