#pragma once

#include <algorithm>
#include <array>
#include <boost/math/interpolators/barycentric_rational.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/hooks.hpp"
#include "base/limits.hpp"
#include "base/roots.hpp"
#include "slab/turning_points/measure.hpp"
#include "slab/turning_points/smooth_profile.hpp"

namespace masing::slab {

/// Throws UserError if `number` exceeds `most`. The message says that the threshold varies too
/// fast. Local.
inline void require_few(std::int64_t number, std::int64_t most) {
  if (number > most) {
    throw unresolved_fault("threshold", "eta(s) varies too fast, or has too many extrema");
  }
}

/// Returns ∫ f ds over the interval between a and b, computed by Gauss-Kronrod quadrature. If a >
/// b, the result is still the integral from b to a. Where f is not smooth the interval is bisected,
/// up to `halvings` times. The integral is transformed to [-1, 1]: for another interval [a, b],
/// Boost would compare an error estimate for [-1, 1] with the integral over [a, b]. Local.
template <class F>
double between(const F& f, double a, double b, unsigned halvings) {
  if (a == b) {
    return 0.0;
  }
  const double centre = (a + b) / 2;
  const double half = std::abs(b - a) / 2;
  const auto on_unit = [&f, centre, half](double t) { return f(centre + half * t); };
  return half * boost::math::quadrature::gauss_kronrod<double, 15>::integrate(on_unit, -1.0, 1.0,
                                                                              halvings, 1e-13);
}

/// ∫ k ds and ∫ k θ ds over the part of a piece where θ(s) ≤ r. On the piece, θ must be monotone.
class PieceIntegrals {
 public:
  /// Computes the integrals from the end where θ is lowest to each node of the piece. `span` is the
  /// span that contains the piece. The functions θ = `threshold` and k = `stiffness` must outlive
  /// the object.
  PieceIntegrals(const MonotonePiece& piece, const SmoothSpan& span, const Density& threshold,
                 const Density& stiffness)
      : piece_(piece), fine_(span.fine), threshold_(&threshold), stiffness_(&stiffness) {
    if (fine_) {
      const auto& all = span.nodes;
      const auto begin = std::ranges::upper_bound(all, piece_.first);
      // The search for the end starts at `begin`: if the piece begins and ends at the same node, it
      // must not find a node before `begin`.
      nodes_.assign(begin, std::ranges::lower_bound(begin, all.end(), piece_.last));
      nodes_.insert(nodes_.begin(), piece_.first);
      nodes_.push_back(piece_.last);
    }
    // From here on `first` is the end where θ is lowest, so that last < first where θ falls.
    if (piece_.value_at_last < piece_.value_at_first) {
      std::swap(piece_.first, piece_.last);
      std::swap(piece_.value_at_first, piece_.value_at_last);
      std::ranges::reverse(nodes_);
    }
    if (!fine_) {
      nodes_ = subdivided({piece_.first, piece_.last}, intervals);
    }
    up_to_.push_back({});
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      base::poll();
      Sums part = over_interval(nodes_[i - 1], nodes_[i]);
      if (piece.is_flat()) {
        part.force = part.stiffness * piece.value_at_first;
      }
      up_to_.push_back(up_to_.back());
      up_to_.back() += part;
    }
  }

  /// Returns the least θ on the piece.
  [[nodiscard]] double lowest() const { return piece_.value_at_first; }
  /// Returns the largest θ on the piece.
  [[nodiscard]] double highest() const { return piece_.value_at_last; }
  /// Returns the integrals over the whole piece.
  [[nodiscard]] Sums total() const { return up_to_.back(); }
  /// Returns the s with θ(s) = r or, if the piece has none, the end of the piece where θ is nearest
  /// to r.
  [[nodiscard]] double place_of(double r) const {
    if (r <= lowest() || r >= highest()) {
      return r <= lowest() ? piece_.first : piece_.last;
    }
    const bool rises = piece_.first < piece_.last;
    return base::root([&](double s) { return (*threshold_)(s)-r; },
                      std::min(piece_.first, piece_.last), std::max(piece_.first, piece_.last),
                      (rises ? lowest() : highest()) - r, (rises ? highest() : lowest()) - r);
  }
  /// Returns the integrals from the end where θ is lowest to `s`.
  [[nodiscard]] Sums below_place(double s) const {
    const std::size_t i = interval_of(s);
    Sums sums = up_to_[i];
    return sums += over_interval(nodes_[i], s);  // rounding may place the node beyond s
  }
  /// Returns ∫ k ds between two places of the piece, which is ≥ 0; k must be smooth between the
  /// places.
  [[nodiscard]] double stiffness_between(double s, double s_next) const {
    return over(*stiffness_, s, s_next);
  }
  /// Returns ∫ k (r - θ) ds between two places of the piece where θ ≤ r, which is ≥ 0; k and θ must
  /// be smooth between the places.
  [[nodiscard]] double shortfall_between(double s, double s_next, double r) const {
    return over([&](double t) { return (*stiffness_)(t) * (r - (*threshold_)(t)); }, s, s_next);
  }
  /// Returns k(s) if the span is fine (SmoothSpan::fine), or else 0.
  [[nodiscard]] double fine_stiffness_at(double s) const { return fine_ ? (*stiffness_)(s) : 0.0; }
  /// Returns the values of θ at the inner nodes of the piece if the span is fine and the piece has
  /// more than four intervals, and otherwise an empty vector. A few samples of such a piece would
  /// not show how the functions vary.
  [[nodiscard]] std::vector<double> inner_values() const {
    constexpr std::size_t few = 4;
    std::vector<double> values;
    for (std::size_t i = 1; fine_ && nodes_.size() > few + 1 && i + 1 < nodes_.size(); ++i) {
      values.push_back((*threshold_)(nodes_[i]));
    }
    return values;
  }

 private:
  static constexpr int intervals = 64;

  /// Returns the integrals between two places in one interval. The quadrature bisects the interval
  /// if necessary, so that the integrals are accurate even if a kink was not detected.
  [[nodiscard]] Sums over_interval(double a, double b) const {
    constexpr unsigned deepest = 6;  // the largest number of bisections
    const auto moment = [&](double s) { return (*stiffness_)(s) * (*threshold_)(s); };
    return {between(*stiffness_, a, b, deepest), between(moment, a, b, deepest)};
  }

  /// Returns the index of the interval between nodes that contains `s`.
  [[nodiscard]] std::size_t interval_of(double s) const {
    if (fine_) {
      const auto beyond = piece_.first < piece_.last
                              ? std::ranges::upper_bound(nodes_, s)
                              : std::ranges::upper_bound(nodes_, s, std::ranges::greater());
      return static_cast<std::size_t>(
          std::clamp<std::ptrdiff_t>(beyond - nodes_.begin() - 1, 0, std::ssize(nodes_) - 2));
    }
    const double share = (s - piece_.first) / (piece_.last - piece_.first);
    return static_cast<std::size_t>(
        std::clamp(static_cast<int>(share * intervals), 0, intervals - 1));
  }

  /// Returns ∫ f ds between two places.
  template <class F>
  [[nodiscard]] double over(const F& f, double s, double s_next) const {
    if (!fine_) {
      return between(f, s, s_next, 0);
    }
    // Gauss's rule with seven points suffices, because it is applied to each interval separately,
    // and on one interval the functions hardly differ from polynomials (SmoothSpan).
    using Legendre = boost::math::quadrature::gauss<double, 7>;
    const std::size_t last = interval_of(s_next);
    double sum = 0.0;
    for (std::size_t i = interval_of(s); i <= last; ++i) {
      const double next = i == last ? s_next : nodes_[i + 1];
      const double half = 0.5 * std::abs(next - s);
      const double centre = 0.5 * (s + next);
      sum += half == 0.0
                 ? 0.0
                 : half * Legendre::integrate([&](double t) { return f(centre + half * t); });
      s = next;
    }
    return sum;
  }

  MonotonePiece piece_;
  bool fine_;
  // The ends of the intervals, from the end of the piece where θ is lowest to the other end.
  std::vector<double> nodes_;
  const Density* threshold_;
  const Density* stiffness_;
  std::vector<Sums> up_to_;  // the integrals from the end where θ is lowest to each node
};

/// A table of K(r) = ∫ k ds and M(r) = ∫ k θ ds over the s with θ(s) ≤ r, for a piecewise smooth
/// stiffness k(s) and threshold θ(s). It interpolates
///     G(r) = ∫ k (r - θ) ds over θ ≤ r,
/// and computes K = G' and M = r K - G from the interpolant. So K and M are consistent with each
/// other within rounding errors, even at an extremum of θ, where K(r) has a square-root
/// singularity. The table consists of sectors: intervals of r with uniformly spaced knots. Sectors
/// are bisected until the error of K is about 1e-13 of ∫k or due to rounding errors of θ and s. A
/// look-up costs about 10 ns. The construction costs about 10 ms if the functions have few extrema.
class ContinuousTable {
 public:
  /// Builds the table. `slope` is θ', `spans` are the parts of [0, 1] on which θ and k are smooth,
  /// and `scale` is the largest θ, to which rounding errors are relative. The breaks of the table
  /// are the values of r at which G(r) is not smooth: the values that θ has at its extrema, at
  /// kinks and jumps of θ and k, and at the ends of [0, 1]. The values of θ at inner nodes of fine
  /// spans (SmoothSpan::fine) are added to the breaks. Throws UserError if θ has too many extrema
  /// or if the table would take too long to build. Local.
  ContinuousTable(const Density& threshold, const Density& slope, const Density& stiffness,
                  const std::vector<SmoothSpan>& spans, double scale) {
    std::vector<PieceIntegrals> pieces;
    for (const SmoothSpan& span : spans) {
      for (const MonotonePiece& piece : monotone_pieces(threshold, slope, span, scale)) {
        // A span has one piece at least; the others end at extrema.
        require_few(std::ssize(pieces) - (&span - spans.data()), most_extrema);
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
    add_polynomials();
  }

  /// Returns K and M for r = ∞. Local.
  [[nodiscard]] Sums total() const { return total_; }
  /// Returns the least θ. Local.
  [[nodiscard]] double lowest() const { return breaks_.front(); }
  /// Returns the largest θ. Local.
  [[nodiscard]] double highest() const { return breaks_.back(); }

  /// Returns K(r) and M(r). Local.
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

  /// Computes G(r) for each of `r`, without sums of several tables and without hints: a uniform
  /// grid over r leads to the polynomial. Local.
  void shortfalls(std::span<const double> r, std::span<double> values) const {
    for (std::size_t i = 0; i < r.size(); ++i) {
      const double place = std::min(r[i] * bins_per_unit_, static_cast<double>(bins_.size() - 1));
      const Polynomial* at = polynomials_.data() + bins_[static_cast<std::size_t>(place)];
      while (at[1].first <= r[i]) {
        ++at;
      }
      const double t = (r[i] - at->first) * at->per_spacing;
      const auto& c = at->coefficients;
      values[i] = c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))));
    }
  }

  /// Returns N(r) = ∫ k θ (r - θ) ds over θ ≤ r. As N' = M = r G' - G,
  ///     N(r) = N(a) + r G(r) - a G(a) - 2 ∫ G dr from a to r,
  /// where a is the beginning of the sector that contains r. Local.
  [[nodiscard]] double slip(double r, FrontSearch near) const {
    const Sector* sector = sector_of(r, near);
    if (sector == nullptr) {
      return 0.0;
    }
    const double place = std::min(r - sector->first, sector->width);
    return sector->width == 0.0 ? sector->slip + (r - sector->first) * total_.force
                                : sector->slip + sector->slip_to(place);
  }

  /// Returns the least break r' > r (see the constructor), or infinity if there is none. Local.
  [[nodiscard]] double next_break(double r) const {
    const auto after = std::ranges::upper_bound(breaks_, r);
    return after == breaks_.end() ? base::infinity : *after;
  }

 private:
  // The number of intervals between the knots of a sector.
  static constexpr int knots = 8;
  // The largest number of extrema of θ. The construction with so many takes some seconds.
  static constexpr std::int64_t most_extrema = 1500;

  /// An interval [first, first + width] of r and the data that interpolate G on it. The final
  /// sector, for r beyond every θ, has the width 0.
  struct Sector {
    /// The least r of the sector.
    double first = 0.0;
    /// The width of the sector in r.
    double width = 0.0;
    /// 1/h, where h is the distance of two knots.
    double per_spacing = 0.0;
    /// G(first).
    double shortfall = 0.0;
    /// For each knot: G - G(first), h K and h² K'/2.
    std::array<std::array<double, 3>, knots + 1> data{};
    double slip = 0.0;  ///< N(first)

    /// Returns G(first + place) - G(first) and K(first + place) by Hermite's quintic interpolation.
    /// The result has the bits of boost::math::interpolators::cardinal_quintic_hermite. Boost would
    /// need two evaluations for both values.
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

    /// Returns N(first + place) - N(first).
    [[nodiscard]] double slip_to(double place) const {
      const double scaled = place * per_spacing;
      double integral = 0.0;  // ∫ (G - G(first)) dr, divided by h
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

  /// Returns the sector that contains r, or null if r is less than every θ.
  [[nodiscard]] const Sector* sector_of(double r, FrontSearch& search) const {
    const std::int64_t passed =
        search.passed([sectors = sectors_.data()](std::int64_t i) { return sectors[i].first; },
                      std::ssize(sectors_), r);
    return passed == 0 ? nullptr : &sectors_[static_cast<std::size_t>(passed - 1)];
  }

  /// G between two knots, or beyond all θ, as a polynomial of (r - first) per_spacing.
  struct Polynomial {
    double first = 0.0;
    double per_spacing = 1.0;
    std::array<double, 6> coefficients{};
  };

  /// Sets up the polynomials of all sectors, which interpolate like Sector::at(), and the grid that
  /// leads to them. The first polynomial is 0, for r less than every θ.
  void add_polynomials() {
    polynomials_.push_back({});
    for (const Sector& sector : sectors_) {
      for (int i = 0; i < knots && sector.width > 0.0; ++i) {
        const auto& [y0, v0, a0] = sector.data[static_cast<std::size_t>(i)];
        const auto& [y1, v1, a1] = sector.data[static_cast<std::size_t>(i) + 1];
        const double rise = y1 - y0;
        polynomials_.push_back(
            {sector.first + i / sector.per_spacing,
             sector.per_spacing,
             {sector.shortfall + y0, v0, a0, 10 * rise - 6 * v0 - 4 * v1 - 3 * a0 + a1,
              -15 * rise + 8 * v0 + 7 * v1 + 3 * a0 - 2 * a1,
              6 * rise - 3 * v0 - 3 * v1 - a0 + a1}});
      }
    }
    const double last = breaks_.back();
    polynomials_.push_back(
        {last, 1.0, {last * total_.stiffness - total_.force, total_.stiffness, 0, 0, 0, 0}});
    polynomials_.push_back({.first = base::undefined});  // which no r passes
    // Several bins for each polynomial, so that a search from the beginning of a bin is short.
    const std::size_t bins = std::min<std::size_t>(4 * polynomials_.size(), 1U << 16U);
    bins_per_unit_ = last > 0.0 ? static_cast<double>(bins) / last : 0.0;
    std::size_t at = 0;
    for (std::size_t bin = 0; bin <= bins; ++bin) {
      while (polynomials_[at + 1].first * bins_per_unit_ <= static_cast<double>(bin)) {
        ++at;
      }
      bins_.push_back(static_cast<std::uint32_t>(at));
    }
  }

  /// Appends a sector. N(first) of this sector is computed from the sector before.
  void add(Sector sector) {
    if (!sectors_.empty()) {
      const Sector& last = sectors_.back();
      sector.slip = last.slip + std::max(0.0, last.slip_to(last.width));
    }
    sectors_.push_back(sector);
  }

  /// Builds the sectors of the table, one interval between neighbouring breaks after the other.
  class Builder {
   public:
    /// `rounding` is the rounding error of θ(s).
    Builder(ContinuousTable& table, const std::vector<PieceIntegrals>& pieces, double rounding)
        : table_(table), pieces_(pieces), rounding_(rounding) {}

    /// Adds the sectors between two neighbouring breaks.
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
    static constexpr int samples = 2 * knots;  // every second sample tests the interpolation

    /// K and G - G(first) at uniformly spaced r in a sector; `place` is r - first.
    struct Row {
      std::array<double, samples + 1> place{};
      std::array<double, samples + 1> stiffness{};
      std::array<double, samples + 1> shortfall{};
      /// G(first)
      double shortfall_at_first = 0.0;
      /// Σ k over the pieces in fine spans, each k at the s where θ(s) = first.
      double fine_stiffness = 0.0;
    };

    /// Adds a sector for [first, last] or, if this sector would not be accurate enough and can be
    /// divided, sectors for both halves of [first, last].
    void add_sector(double first, double last) {
      const Row s = sample(first, last);
      const double spacing = (last - first) / knots;
      // Scaling by a power of two prevents overflow of powers of r and changes no bit.
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
      // The error of G' is about 3.4/spacing times the error of G in the middle between two knots,
      // or less. The allowed error includes two effects on K: the rounding error of θ, times K',
      // and the rounding error of s, times k.
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
        // Because of rounding, the last knot may lie just before `last`. The sector then ends at
        // this knot.
        sector.width = std::min(last - first, knots / sector.per_spacing);
        table_.add(sector);
      }
    }

    /// Returns K and G in a sector. K and G are summed up from increments between
    /// neighbouring values of r, so that differences of samples are accurate even in narrow
    /// sectors.
    [[nodiscard]] Row sample(double first, double last) {
      samples_taken_ += std::ssize(active_);
      constexpr std::int64_t most_samples = 300'000;  // this many take some seconds
      require_few(samples_taken_, most_samples);
      Row result;
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
    std::int64_t samples_taken_ =
        0;  // the number of active pieces, added up over all sampled sectors
    const std::vector<PieceIntegrals>& pieces_;
    double rounding_;
    // base_ has the sums over the pieces on which θ is below the present interval of r. active_ has
    // the pieces on which θ takes the values in the interval.
    Sums base_;
    std::vector<const PieceIntegrals*> active_;
  };

  std::vector<Sector> sectors_;
  std::vector<Polynomial> polynomials_;  // for shortfalls()
  std::vector<std::uint32_t> bins_;      // the polynomial at the beginning of each bin of r
  double bins_per_unit_ = 0.0;
  std::vector<double> breaks_;
  Sums total_;
};

}  // namespace masing::slab
