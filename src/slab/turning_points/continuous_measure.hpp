#pragma once

#include <algorithm>
#include <array>
#include <boost/math/interpolators/quintic_hermite.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "slab/problem.hpp"
#include "slab/turning_points/measure.hpp"
#include "slab/turning_points/smooth_profile.hpp"

namespace masing::slab {

/// ∫ k ds and ∫ k θ ds over the part of a monotone piece where θ(s) ≤ r.
class PieceIntegrals {
 public:
  /// `span`: what the piece is a part of.
  PieceIntegrals(const MonotonePiece& piece, const SmoothSpan& span, const Density& threshold,
                 const Density& stiffness);

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
  /// k at a place, if the span is fine; else 0.
  [[nodiscard]] double fine_stiffness_at(double s) const { return fine_ ? (*stiffness_)(s) : 0.0; }
  /// θ where more happens within the piece than a few samples show: between the intervals of a fine
  /// span, if there are many.
  [[nodiscard]] std::vector<double> inner_values() const;

 private:
  /// The first node from the lowest end that `s` is not beyond, less one.
  [[nodiscard]] std::size_t interval_of(double s) const;
  /// ∫ f over what lies between two places.
  template <class F>
  [[nodiscard]] double over(const F& f, double s, double s_next) const;

  MonotonePiece piece_;
  bool fine_;
  std::vector<double> nodes_;  // from the lowest end to the highest
  const Density* threshold_;
  const Density* stiffness_;
  std::vector<Sums> up_to_;  // at the nodes
};

/// ∫ k ds and ∫ k θ ds over θ(s) ≤ r, for P = ∞. What is interpolated is
///     G(r) = ∫ (r - θ)⁺ k ds,   K = G',   M = r K - G,
/// so that K and M belong together to rounding even where K has the root of an extremum of θ.
/// Knots are uniform in sectors that shrink until K is right to some 1e-13 of ∫k. A look-up costs
/// some 10 ns.
class ContinuousTable {
 public:
  static constexpr bool is_cellwise = false;

  /// `slope`: of θ; `spans`: where θ and k are smooth; `scale`: what θ is small or large against.
  /// The breaks of G are at θ's extrema, ends, kinks and steps. Throws UserError where the table
  /// cannot be resolved, or differs from another quadrature. Local.
  ContinuousTable(const Density& threshold, const Density& slope, const Density& stiffness,
                  const std::vector<SmoothSpan>& spans, double scale);

  [[nodiscard]] Sums total() const { return total_; }

  [[nodiscard]] Sums below(double r, SearchHint& hint) const {
    const std::int64_t passed = hint.front.passed(
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

  /// ∫ k θ² ds over θ(s) ≤ r: r² K - 2 ∫₀ʳ ρ K dρ, which is 2H - r² K + 2r M with H = ∫₀ʳ G dρ.
  [[nodiscard]] double second_moment(double r) const;

  /// The least r' > r where K is not smooth, or infinity.
  [[nodiscard]] double next_break(double r, SearchHint& /*hint*/) const {
    const auto after = std::upper_bound(breaks_.begin(), breaks_.end(), r);
    return after == breaks_.end() ? std::numeric_limits<double>::infinity() : *after;
  }

 private:
  using Interpolator =
      boost::math::interpolators::cardinal_quintic_hermite_aos<std::vector<std::array<double, 3>>>;

  /// [first, first + width] of r; width 0 marks the end of the table.
  struct Sector {
    double first = 0.0;
    double width = 0.0;
    double shortfall = 0.0;  ///< G(first)
    Interpolator local;      ///< G(first + place) - G(first)
    double integral = 0.0;   ///< H(first)

    /// H(first + place).
    [[nodiscard]] double integral_to(double place) const;
  };

  class Builder;

  /// Throws UserError where K or M is not what the integrals over the pieces give.
  void check(const std::vector<PieceIntegrals>& pieces) const;

  std::vector<Sector> sectors_;
  std::vector<double> breaks_;
  Sums total_;
};

/// The measure of a problem's k, η, u0, admissible ones (continuous_fault). Takes some 10 ms.
/// Local.
std::shared_ptr<const Measure> make_continuous_measure(const Slab& slab);

/// ∫ k c ds over [0, 1], the preload of thresholds that differ by direction. Throws as
/// make_continuous_measure. Local.
double continuous_preload(const Slab& slab);

/// value_fault of the first of the telling_places at fault; nothing if none is. Throws as
/// smooth_spans, and UserError where k η is beyond what FixedPoint takes. Local.
std::optional<base::UserError> continuous_fault(const Slab& slab);

}  // namespace masing::slab
