#pragma once

#include <algorithm>
#include <array>
#include <boost/math/interpolators/barycentric_rational.hpp>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/poll.hpp"
#include "slab/turning_points/measure.hpp"
#include "slab/turning_points/piece_integrals.hpp"
#include "slab/turning_points/smooth_profile.hpp"

namespace masing::slab {

inline void require_few(std::int64_t number, std::int64_t most) {
  if (number > most) {
    throw unresolved_fault("threshold", "eta(s) varies too fast, or has too many extrema");
  }
}

/// A table of K and M over θ(s) ≤ r, for any k and θ: what is interpolated is
///     G(r) = ∫ (r - θ)⁺ k ds over θ ≤ r,   K = G',   M = r K - G,
/// so that K and M belong together to rounding even where K has the root of an extremum of θ. Knots
/// are uniform in sectors that shrink until K is right to some 1e-13 of ∫k. A look-up costs some 10
/// ns, the table some 10 ms.
class ContinuousTable {
 public:
  /// `slope`: of θ; `spans`: where θ and k are smooth; `scale`: what θ is small or large against.
  /// The breaks of G are at θ's extrema, ends, kinks and steps.
  ContinuousTable(const Density& threshold, const Density& slope, const Density& stiffness,
                  const std::vector<SmoothSpan>& spans, double scale) {
    std::vector<PieceIntegrals> pieces;
    for (const SmoothSpan& span : spans) {
      for (const MonotonePiece& piece : monotone_pieces(threshold, slope, span, scale)) {
        require_few(std::ssize(pieces), most_pieces);
        pieces.emplace_back(piece, span, threshold, stiffness);
        breaks_.push_back(pieces.back().lowest());
        breaks_.push_back(pieces.back().highest());
        std::ranges::copy(pieces.back().inner_values(), std::back_inserter(breaks_));
        total_ += pieces.back().total();
      }
    }
    std::ranges::sort(breaks_);
    const auto same = [&](double a, double b) { return b - a <= 16 * base::epsilon * scale; };
    breaks_.erase(std::unique(breaks_.begin(), breaks_.end(), same), breaks_.end());
    Builder builder(*this, pieces, base::epsilon * scale);
    for (std::size_t i = 1; i < breaks_.size(); ++i) {
      builder.add_interval(breaks_[i - 1], breaks_[i]);
    }
    add({breaks_.back(), 0.0, 1.0, 0.0, {}});
  }

  [[nodiscard]] Sums total() const { return total_; }
  /// The least θ and the largest.
  [[nodiscard]] double lowest() const { return breaks_.front(); }
  [[nodiscard]] double highest() const { return breaks_.back(); }

  [[nodiscard]] Sums below(double r, SearchHint& hint) const {
    const Sector* sector = sector_of(r, hint.front);
    if (sector == nullptr) {
      return {};
    }
    if (sector->width == 0.0) {
      return total_;
    }
    const auto [value, slope] = sector->at(std::min(r - sector->first, sector->width));
    const double stiffness = std::min(slope, total_.stiffness);
    return {stiffness, r * stiffness - (sector->shortfall + value)};
  }

  /// N' = M = r G' - G, so that N = r G - 2 ∫ G, from the beginning of the sector on.
  [[nodiscard]] double slip(double r, FrontSearch near) const {
    const Sector* sector = sector_of(r, near);
    if (sector == nullptr) {
      return 0.0;
    }
    const double place = std::min(r - sector->first, sector->width);
    return sector->width == 0.0 ? sector->slip + (r - sector->first) * total_.force
                                : sector->slip + sector->slip_to(place);
  }

  /// The least r' > r where K is not smooth, or infinity.
  [[nodiscard]] double next_break(double r) const {
    const auto after = std::ranges::upper_bound(breaks_, r);
    if (after == breaks_.end()) {
      return base::infinity;
    }
    return *after;
  }

 private:
  static constexpr int knots = 8;  // intervals of a sector
  // What takes some seconds: pieces of θ.
  static constexpr std::int64_t most_pieces = 1500;

  /// [first, first + width] of r; width 0 marks the end of the table.
  struct Sector {
    double first = 0.0;
    double width = 0.0;
    double per_spacing = 0.0;  ///< 1/h, h the distance of its knots
    double shortfall = 0.0;    ///< G(first)
    /// G - G(first), h K and h² K'/2 at the knots.
    std::array<std::array<double, 3>, knots + 1> data{};
    double slip = 0.0;  ///< N(first)

    /// G(first + place) - G(first), and K there, by Hermite's quintic: the polynomials as
    /// boost::math::interpolators::cardinal_quintic_hermite has them, to the bit, at the price of
    /// one.
    [[nodiscard]] std::pair<double, double> at(double place) const {
      if (place == knots / per_spacing) {
        return {data.back()[0], data.back()[1] * per_spacing};
      }
      const double scaled = place * per_spacing;
      const double knot = std::floor(scaled);
      const double t = scaled - knot;
      const auto& [y0, v0, a0] = data[static_cast<std::size_t>(knot)];
      if (t == 0) {
        return {y0, v0 * per_spacing};
      }
      const auto& [y1, v1, a1] = data[static_cast<std::size_t>(knot) + 1];
      double y = (1 - t * t * t * (10 + t * (-15 + 6 * t))) * y0;
      y += t * (1 + t * t * (-6 + t * (8 - 3 * t))) * v0;
      y += t * t * (1 + t * (-3 + t * (3 - t))) * a0;
      y += t * t * t *
           ((1 + t * (-2 + t)) * a1 + (-4 + t * (7 - 3 * t)) * v1 + (10 + t * (-15 + 6 * t)) * y1);
      double dy = 30 * t * t * (1 - 2 * t + t * t) * (y1 - y0);
      dy += (1 - 18 * t * t + 32 * t * t * t - 15 * t * t * t * t) * v0 -
            t * t * (12 - 28 * t + 15 * t * t) * v1;
      dy += t * ((2 - 9 * t + 12 * t * t - 5 * t * t * t) * a0 + t * (3 - 8 * t + 5 * t * t) * a1);
      return {y, dy * per_spacing};
    }

    /// N(first + place) - N(first).
    [[nodiscard]] double slip_to(double place) const {
      const double scaled = place * per_spacing;
      double integral = 0.0;  // of G - G(first), over h
      for (int i = 0; i < knots && i < scaled; ++i) {
        const double t = std::min(1.0, scaled - i);
        const auto& [y0, v0, a0] = data[i];
        const auto& [y1, v1, a1] = data[i + 1];
        integral += t * (y0 + t * (v0 / 2 + t * (a0 / 3)));
        integral += t * t * t * t *
                    ((2.5 + t * (t - 3)) * (y1 - y0) + (t * (1.6 - t / 2) - 1.5) * v0 +
                     (t * (0.6 - t / 6) - 0.75) * a0 + (t * (1.4 - t / 2) - 1) * v1 +
                     (0.25 + t * (t / 6 - 0.4)) * a1);
      }
      return (first + place) * at(place).first - place * shortfall - 2 * integral / per_spacing;
    }
  };

  /// Where r is; null below all.
  [[nodiscard]] const Sector* sector_of(double r, FrontSearch& search) const {
    const std::int64_t passed =
        search.passed([sectors = sectors_.data()](std::int64_t i) { return sectors[i].first; },
                      std::ssize(sectors_), r);
    return passed == 0 ? nullptr : &sectors_[static_cast<std::size_t>(passed - 1)];
  }

  void add(Sector sector) {
    if (!sectors_.empty()) {
      const Sector& last = sectors_.back();
      sector.slip = last.slip + std::max(0.0, last.slip_to(last.width));
    }
    sectors_.push_back(sector);
  }

  /// Builds the sectors of one interval of r after the other.
  class Builder {
   public:
    /// `rounding`: the accuracy of θ(s).
    Builder(ContinuousTable& table, const std::vector<PieceIntegrals>& pieces, double rounding)
        : table_(table), pieces_(pieces), rounding_(rounding) {}

    /// The sectors between two neighbouring breaks.
    void add_interval(double first, double last) {
      const double middle = first + (last - first) / 2;
      base_ = {};
      active_.clear();
      for (const PieceIntegrals& piece : pieces_) {
        if (piece.highest() <= middle) {
          base_ += piece.total();
        } else if (piece.lowest() < middle) {
          active_.push_back(&piece);
        }
      }
      add_sector(first, last);
    }

   private:
    static constexpr int samples = 2 * knots;  // every other one tests the interpolation

    /// K, and G - G(first), at uniform places of a sector.
    struct Samples {
      std::array<double, samples + 1> place{};
      std::array<double, samples + 1> stiffness{};
      std::array<double, samples + 1> shortfall{};
      double shortfall_at_first = 0.0;
      double fine_stiffness = 0.0;  ///< Σ k over the fine pieces
    };

    void add_sector(double first, double last) {
      const Samples s = sample(first, last);
      const double spacing = (last - first) / knots;
      // In a power of two, so that no power of r overflows, and no bit changes.
      const double unit = std::ldexp(1.0, std::ilogb(spacing));
      auto places = s.place;
      std::ranges::for_each(places, [unit](double& place) { place /= unit; });
      boost::math::barycentric_rational<double> k(places.data(), s.stiffness.data(), places.size(),
                                                  6);
      Sector sector{first, 0.0, 1 / spacing, s.shortfall_at_first, {}};
      double steepest = 0.0;
      for (int i = 0; i <= samples; i += 2) {
        const double slope = active_.empty() ? 0.0 : k.prime(places[i]);
        steepest = std::max(steepest, std::abs(slope));
        sector.data[i / 2] = {s.shortfall[i], s.stiffness[i] * spacing,
                              slope * (spacing / unit * (spacing / 2))};
      }
      // The error of G' is at most 3.4/spacing times that of G at the middle. It cannot fall below
      // what the rounding of r causes in K.
      // Nor below what the rounding of s does, through θ': K' of a piece is k/θ'.
      constexpr double error = 1e-13;
      const double allowed = error * table_.total_.stiffness + 16 * rounding_ / unit * steepest +
                             16 * base::epsilon * s.fine_stiffness;
      double worst = 0.0;
      for (int i = 1; i <= samples; i += 2) {
        worst =
            std::max(worst, std::abs(sector.at(s.place[i]).first - s.shortfall[i]) * 3.4 / spacing);
      }
      const double middle = first + (last - first) / 2;
      const bool divisible = last - first > 64 * rounding_;
      if (worst > allowed && divisible) {
        add_sector(first, middle);
        add_sector(middle, last);
      } else {
        // The last knot may lie an ulp before the end.
        sector.width = std::min(last - first, knots / sector.per_spacing);
        table_.add(sector);
      }
    }

    /// Increments between neighbouring places, so that narrow sectors keep their relative accuracy.
    [[nodiscard]] Samples sample(double first, double last) {
      samples_taken_ += std::ssize(active_);
      constexpr std::int64_t most_samples = 300'000;  // some seconds
      require_few(samples_taken_, most_samples);
      Samples result;
      Sums sums = base_;
      std::vector<double> places;
      for (const PieceIntegrals* piece : active_) {
        places.push_back(piece->place_of(first));
        result.fine_stiffness += piece->fine_stiffness_at(places.back());
        sums += piece->below_place(places.back());
      }
      result.stiffness[0] = sums.stiffness;
      result.shortfall_at_first = first * sums.stiffness - sums.force;
      for (int i = 1; i <= samples; ++i) {
        base::poll();
        result.place[i] = (last - first) * i / samples;
        const double r = i == samples ? last : first + result.place[i];
        double& stiffness = result.stiffness[i];
        double& shortfall = result.shortfall[i];
        stiffness = result.stiffness[i - 1];
        shortfall = result.shortfall[i - 1] + (result.place[i] - result.place[i - 1]) * stiffness;
        for (std::size_t p = 0; p < active_.size(); ++p) {
          const double next = active_[p]->place_of(r);
          stiffness += active_[p]->stiffness_between(places[p], next);
          shortfall += active_[p]->shortfall_between(places[p], next, r);
          places[p] = next;
        }
      }
      return result;
    }

    ContinuousTable& table_;
    std::int64_t samples_taken_ = 0;  // of sectors, times the pieces in them
    const std::vector<PieceIntegrals>& pieces_;
    double rounding_;
    Sums base_;
    std::vector<const PieceIntegrals*> active_;
  };

  std::vector<Sector> sectors_;
  std::vector<double> breaks_;
  Sums total_;
};

}  // namespace masing::slab
