#pragma once

#include <array>
#include <boost/math/interpolators/quintic_hermite.hpp>
#include <limits>
#include <span>
#include <vector>

#include "masing/front_search.hpp"
#include "masing/monotone_pieces.hpp"
#include "masing/turning_points.hpp"

namespace masing {

/// ∫ k ds and ∫ k θ ds over θ(s) ≤ r, for P = ∞. What is interpolated is
///     G(r) = ∫ (r - θ)⁺ k ds,   K = G',   M = r K - G,
/// so that K and M belong together to rounding even where K has the root of an extremum of θ.
/// Knots are uniform in sectors that shrink until K is right to some 1e-13 of ∫k. A look-up costs
/// some 10 ns. Not for concurrent use.
class ContinuousTable {
 public:
  /// `breaks`: where θ or k has a kink, increasing, in (0, 1); `scale`: what θ is small or large
  /// against. Local. Source: MODEL §5; the breaks of G are at θ's extrema, ends, kinks and steps.
  ContinuousTable(const Density& threshold, const Density& stiffness,
                  std::span<const double> breaks, double scale);

  [[nodiscard]] Sums total() const { return total_; }

  [[nodiscard]] Sums below(double r) const {
    const std::int64_t passed = search_.passed(
        [this](std::int64_t i) { return sectors_[static_cast<std::size_t>(i)].first; },
        static_cast<std::int64_t>(sectors_.size()), r);
    if (passed == 0) {
      return {};
    }
    const Sector& sector = sectors_[static_cast<std::size_t>(passed - 1)];
    if (sector.width == 0.0) {
      return total_;
    }
    const double place = std::min(r - sector.first, sector.width);
    const double stiffness = std::min(sector.local.prime(place), total_.stiffness);
    return {stiffness, r * stiffness - (sector.shortfall + sector.local(place))};
  }

  /// The least r' > r where K is not smooth, or infinity.
  [[nodiscard]] double next_break(double r) const {
    const auto after = std::upper_bound(breaks_.begin(), breaks_.end(), r);
    return after == breaks_.end() ? std::numeric_limits<double>::infinity() : *after;
  }

 private:
  using Interpolator =
      boost::math::interpolators::cardinal_quintic_hermite_aos<std::vector<std::array<double, 3>>>;

  /// [first, first + width] of r; width 0 marks the end of the table.
  struct Sector {
    double first;
    double width;
    double shortfall;    ///< G(first)
    Interpolator local;  ///< G(first + place) - G(first)
  };

  class Builder;

  std::vector<Sector> sectors_;
  std::vector<double> breaks_;
  Sums total_;
  mutable FrontSearch search_;
};

}  // namespace masing
