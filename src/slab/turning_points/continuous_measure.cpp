#include "slab/turning_points/continuous_measure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <boost/math/interpolators/barycentric_rational.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "base/block_sum.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/poll.hpp"
#include "base/text.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/interval_sets.hpp"
#include "slab/turning_points/smooth_profile.hpp"

namespace masing::slab {

namespace {

/// ∫ f ds between a and b, in whichever order they come, by Gauss-Kronrod, halved up to `halvings`
/// times where f is not smooth; over [-1, 1], because Boost compares an error over that with an
/// integral over [a, b].
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

/// ∫ k ds and ∫ k θ ds over the part of a monotone piece where θ(s) ≤ r.
class PieceIntegrals {
 public:
  /// `span`: what the piece is a part of.
  PieceIntegrals(const MonotonePiece& piece, const SmoothSpan& span, const Density& threshold,
                 const Density& stiffness)
      : piece_(piece), fine_(span.fine), threshold_(&threshold), stiffness_(&stiffness) {
    if (fine_) {
      const auto& all = span.nodes;
      const auto begin = std::ranges::upper_bound(all, piece_.first);
      // Not before it, where a piece is a single node.
      nodes_.assign(begin, std::ranges::lower_bound(begin, all.end(), piece_.last));
      nodes_.insert(nodes_.begin(), piece_.first);
      nodes_.push_back(piece_.last);
    }
    // Let `first` be the lowest end, so that last < first where θ falls.
    if (piece_.value_at_last < piece_.value_at_first) {
      std::swap(piece_.first, piece_.last);
      std::swap(piece_.value_at_first, piece_.value_at_last);
      std::ranges::reverse(nodes_);
    }
    for (int i = 0; !fine_ && i <= intervals; ++i) {
      const double width = (piece_.last - piece_.first) / intervals;
      nodes_.push_back(i == intervals ? piece_.last : piece_.first + i * width);
    }
    up_to_.push_back({});
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      base::poll();
      const Sums part = over_interval(nodes_[i - 1], nodes_[i]);
      const double force = piece.is_flat() ? part.stiffness * piece.value_at_first : part.force;
      up_to_.push_back({up_to_.back().stiffness + part.stiffness, up_to_.back().force + force});
    }
  }

  [[nodiscard]] double lowest() const { return piece_.value_at_first; }
  [[nodiscard]] double highest() const { return piece_.value_at_last; }
  /// Over the whole piece.
  [[nodiscard]] Sums total() const { return up_to_.back(); }
  /// The s with θ(s) = r, the nearest end where there is none.
  [[nodiscard]] double place_of(double r) const {
    if (r <= lowest() || r >= highest()) {
      return r <= lowest() ? piece_.first : piece_.last;
    }
    const bool rises = piece_.first < piece_.last;
    return root_between([&](double s) { return (*threshold_)(s)-r; },
                        std::min(piece_.first, piece_.last), std::max(piece_.first, piece_.last),
                        (rises ? lowest() : highest()) - r, (rises ? highest() : lowest()) - r);
  }
  /// From the end where θ is lowest to `s`.
  [[nodiscard]] Sums below_place(double s) const {
    const std::size_t i = interval_of(s);
    // The node may lie beyond s by rounding only.
    const Sums part = over_interval(nodes_[i], s);
    return {up_to_[i].stiffness + part.stiffness, up_to_[i].force + part.force};
  }
  /// ∫ k ds between two places, a smooth bit of the piece, ≥ 0.
  [[nodiscard]] double stiffness_between(double s, double s_next) const {
    return over(*stiffness_, s, s_next);
  }
  /// ∫ k (r - θ) ds between two places where θ ≤ r, a smooth bit of the piece, ≥ 0.
  [[nodiscard]] double shortfall_between(double s, double s_next, double r) const {
    return over([&](double t) { return (*stiffness_)(t) * (r - (*threshold_)(t)); }, s, s_next);
  }
  /// k at a place, if the span is fine; else 0.
  [[nodiscard]] double fine_stiffness_at(double s) const { return fine_ ? (*stiffness_)(s) : 0.0; }
  /// θ where more happens within the piece than a few samples show: between the intervals of a fine
  /// span, if there are many.
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

  /// Between two places in one interval, or what is in it of an undetected kink.
  [[nodiscard]] Sums over_interval(double a, double b) const {
    constexpr unsigned deepest = 6;  // halvings
    const auto moment = [&](double s) { return (*stiffness_)(s) * (*threshold_)(s); };
    return {between(*stiffness_, a, b, deepest), between(moment, a, b, deepest)};
  }

  /// The first node from the lowest end that `s` is not beyond, less one.
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

  /// ∫ f over what lies between two places.
  template <class F>
  [[nodiscard]] double over(const F& f, double s, double s_next) const {
    if (!fine_) {
      return between(f, s, s_next, 0);
    }
    // Seven points are enough for a polynomial of degree 13 in part of an interval.
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
  std::vector<double> nodes_;  // from the lowest end to the highest
  const Density* threshold_;
  const Density* stiffness_;
  std::vector<Sums> up_to_;  // at the nodes
};

void require_few(std::int64_t number, std::int64_t most) {
  if (number > most) {
    throw unresolved_fault("threshold", "eta(s) varies too fast, or has too many extrema");
  }
}

/// The table of make_continuous_measure, for any k and θ: K and M over θ(s) ≤ r.
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
        total_.stiffness += pieces.back().total().stiffness;
        total_.force += pieces.back().total().force;
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

  /// Throws UserError where K or M is not what another rule gives.
  void check(const IntervalSets& sets) const {
    // As many places as cost little beside the table.
    const std::size_t places = std::clamp<std::size_t>(20000 / sets.pieces(), 16, 256);
    const double lowest = breaks_.front();
    const double span = breaks_.back() - lowest;
    SearchHint hint;
    for (std::size_t i = 0; i <= places; ++i) {
      base::poll();
      // Not at the ends, where K has roots and both would only show the rounding of r, but beyond.
      const double r =
          lowest +
          span * (i == places ? 2.0 : (static_cast<double>(i) + 0.5) / static_cast<double>(places));
      const Sums sums = sets.integrals(r).sums();
      const Sums tabled = below(r, hint);
      // What lies within the rounding of θ, which matters where that is nearly constant.
      const double unsure = sets.integrals(r * (1 + 16 * base::epsilon)).stiffness - sums.stiffness;
      if (!(std::abs(tabled.stiffness - sums.stiffness) <= 1e-10 * total_.stiffness + unsure &&
            std::abs(tabled.force - sums.force) <= 1e-10 * total_.force + r * unsure)) {
        throw unresolved_fault(
            "threshold", fmt::format("the table of int k ds over eta <= {} gives {}, quadrature {}",
                                     base::to_text(r), base::to_text(tabled.stiffness),
                                     base::to_text(sums.stiffness)));
      }
    }
  }

  [[nodiscard]] Sums total() const { return total_; }

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
          base_.stiffness += piece.total().stiffness;
          base_.force += piece.total().force;
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
        const Sums below = piece->below_place(places.back());
        sums.stiffness += below.stiffness;
        sums.force += below.force;
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

/// Throws UserError, with the quantity, unless another rule finds the same ∫ f ds.
void require_same_integral(const char* quantity, double found, const Density& f,
                           const std::vector<SmoothSpan>& spans) {
  using Legendre = boost::math::quadrature::gauss<double, 20>;
  double other = 0.0;
  double size = 0.0;
  for (const SmoothSpan& span : spans) {
    for (std::size_t i = 1; i < span.nodes.size(); ++i) {
      double of_absolute = 0.0;
      other += Legendre::integrate(f, span.nodes[i - 1], span.nodes[i], &of_absolute);
      size += of_absolute;
    }
  }
  if (!(std::abs(found - other) <= 1e-10 * size)) {
    throw unresolved_fault(
        quantity,
        fmt::format("the integral of k(s) times it over s is {} by one rule and {} by another",
                    base::to_text(found), base::to_text(other)));
  }
}

class ContinuousMeasure final : public SmoothMeasure {
 public:
  ContinuousMeasure(ContinuousTable table, IntervalSets settled, std::optional<IntervalSets> sets)
      : SmoothMeasure(std::move(settled), std::move(sets)), table_(std::move(table)) {
    total_ = table_.total();
  }

  [[nodiscard]] Sums below(double r, SearchHint& hint) const override {
    return table_.below(r, hint);
  }
  [[nodiscard]] double slip(double r, FrontSearch near) const override {
    return table_.slip(r, near);
  }
  [[nodiscard]] double next_break(double r, SearchHint& /*hint*/) const override {
    return table_.next_break(r);
  }

 private:
  ContinuousTable table_;
};

}  // namespace

std::shared_ptr<const Measure> make_continuous_measure(const Slab& slab) {
  check_functions(slab);
  Slab settled = slab;  // without u0, of which the table knows nothing
  settled.initial_u = {};
  const std::vector<SmoothSpan> spans = smooth_spans(settled);
  const Density k = [&](double s) { return slab.stiffness(s); };
  const double scale = largest_threshold(slab, spans);
  ContinuousTable table([&](double s) { return slab.threshold(s); },
                        [&](double s) { return slope_of(slab.threshold, s); }, k, spans, scale);
  constexpr std::size_t most_pieces = 1 << 16;  // the points of a field, and more
  IntervalSets whole(settled, spans, scale, std::nullopt, most_pieces);
  table.check(whole);
  if (slab.is_shifted()) {
    require_same_integral(
        "threshold-down", whole.all().load, [&](double s) { return k(s) * slab.shift(s); }, spans);
  }
  const std::vector<SmoothSpan> all_spans = smooth_spans(slab, true);
  std::optional<IntervalSets> sets;
  if (!begins_at_zero(slab, all_spans)) {
    sets.emplace(slab, all_spans, scale, std::nullopt, most_pieces);
    require_same_integral(
        "initial-u", sets->all().initial, [&](double s) { return k(s) * slab.initial_u(s); },
        all_spans);
  }
  return std::make_shared<const ContinuousMeasure>(std::move(table), std::move(whole),
                                                   std::move(sets));
}

}  // namespace masing::slab
