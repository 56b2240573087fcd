#include "masing/continuous_table.hpp"

#include <algorithm>
#include <boost/math/interpolators/barycentric_rational.hpp>
#include <cmath>

#include "masing/piece_integrals.hpp"

namespace masing {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr int knots = 8;         // intervals of a sector
constexpr int samples = 16;      // twice as many: every other one tests the interpolation
constexpr double error = 1e-13;  // of K, relative to ∫k

/// K, and G - G(first), at uniform places of a sector.
struct SectorSamples {
  std::array<double, samples + 1> place{};
  std::array<double, samples + 1> stiffness{};
  std::array<double, samples + 1> shortfall{};
  double shortfall_at_first = 0.0;
};

}  // namespace

/// Makes the sectors of one interval of r after the other.
class ContinuousTable::Builder {
 public:
  /// `rounding`: what θ(s) is known to.
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
  void add_sector(double first, double last) {
    const SectorSamples s = sample(first, last);
    const double spacing = (last - first) / knots;
    boost::math::barycentric_rational<double> k(s.place.data(), s.stiffness.data(), s.place.size(),
                                                6);
    std::vector<std::array<double, 3>> data;
    double steepest = 0.0;
    for (int i = 0; i <= samples; i += 2) {
      const double slope = active_.empty() ? 0.0 : k.prime(s.place[i]);
      steepest = std::max(steepest, std::abs(slope));
      data.push_back({s.shortfall[i], s.stiffness[i], slope});
    }
    Interpolator local(std::move(data), 0.0, spacing);
    // The error of G' is at most 3.4/spacing times that of G at the middle; what rounding of r
    // makes of K cannot be undercut.
    const double allowed = error * table_.total_.stiffness + 16 * rounding_ * steepest;
    double worst = 0.0;
    for (int i = 1; i <= samples; i += 2) {
      worst = std::max(worst, std::abs(local(s.place[i]) - s.shortfall[i]) * 3.4 / spacing);
    }
    const double middle = first + (last - first) / 2;
    const bool divisible = last - first > 64 * rounding_;
    if (worst > allowed && divisible) {
      add_sector(first, middle);
      add_sector(middle, last);
    } else {
      // The end that the interpolator knows may lie an ulp before the end of the sector.
      const double width = std::min(last - first, local.domain().second);
      table_.sectors_.push_back({first, width, s.shortfall_at_first, std::move(local)});
    }
  }

  /// Increments between neighbouring places, so that narrow sectors keep their relative accuracy.
  [[nodiscard]] SectorSamples sample(double first, double last) const {
    SectorSamples result;
    Sums sums = base_;
    std::vector<double> places;
    for (const PieceIntegrals* piece : active_) {
      places.push_back(piece->place_of(first));
      const Sums below = piece->below_place(places.back());
      sums.stiffness += below.stiffness;
      sums.force += below.force;
    }
    result.stiffness[0] = sums.stiffness;
    result.shortfall_at_first = first * sums.stiffness - sums.force;
    for (int i = 1; i <= samples; ++i) {
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
  const std::vector<PieceIntegrals>& pieces_;
  double rounding_;
  Sums base_;
  std::vector<const PieceIntegrals*> active_;
};

ContinuousTable::ContinuousTable(const Density& threshold, const Density& stiffness,
                                 std::span<const double> breaks, double scale) {
  std::vector<PieceIntegrals> pieces;
  for (const MonotonePiece& piece : monotone_pieces(threshold, breaks, scale)) {
    pieces.emplace_back(piece, threshold, stiffness);
    breaks_.push_back(pieces.back().lowest());
    breaks_.push_back(pieces.back().highest());
    total_.stiffness += pieces.back().total().stiffness;
    total_.force += pieces.back().total().force;
  }
  std::ranges::sort(breaks_);
  const auto same = [&](double a, double b) { return b - a <= 16 * epsilon * scale; };
  breaks_.erase(std::unique(breaks_.begin(), breaks_.end(), same), breaks_.end());
  Builder builder(*this, pieces, epsilon * scale);
  for (std::size_t i = 1; i < breaks_.size(); ++i) {
    builder.add_interval(breaks_[i - 1], breaks_[i]);
  }
  const std::vector<std::array<double, 3>> nothing(2);
  sectors_.push_back({breaks_.back(), 0.0, 0.0, Interpolator(std::vector(nothing), 0.0, 1.0)});
}

}  // namespace masing
