#include "slab/turning_points/continuous_measure.hpp"

#include <algorithm>
#include <boost/math/interpolators/barycentric_rational.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/text.hpp"
#include "slab/turning_points/cell_measure.hpp"
#include "slab/turning_points/smooth_profile.hpp"

namespace masing::slab {

namespace {

constexpr int intervals = 64;
constexpr unsigned deepest = 6;  // halvings of an interval that holds an undetected kink

/// ∫ f between a and b, in whichever order they come.
template <class F>
double between(const F& f, double a, double b, unsigned halvings) {
  return a == b ? 0.0 : integral(f, std::min(a, b), std::max(a, b), halvings);
}

}  // namespace

PieceIntegrals::PieceIntegrals(const MonotonePiece& piece, const Density& threshold,
                               const Density& stiffness)
    : piece_(piece), threshold_(&threshold), stiffness_(&stiffness) {
  // Let `first` be the lowest end, so that last < first where θ falls.
  if (piece_.value_at_last < piece_.value_at_first) {
    std::swap(piece_.first, piece_.last);
    std::swap(piece_.value_at_first, piece_.value_at_last);
  }
  up_to_.push_back({});
  for (int i = 0; i < intervals; ++i) {
    const double width = (piece_.last - piece_.first) / intervals;
    const double a = piece_.first + i * width;
    const double b = i + 1 == intervals ? piece_.last : piece_.first + (i + 1) * width;
    const double k = between(stiffness, a, b, deepest);
    const auto moment = [&](double s) { return stiffness(s) * threshold(s); };
    const double force =
        piece.is_flat() ? k * piece.value_at_first : between(moment, a, b, deepest);
    up_to_.push_back({up_to_.back().stiffness + k, up_to_.back().force + force});
  }
}

double PieceIntegrals::lowest() const {
  return piece_.value_at_first;
}

double PieceIntegrals::highest() const {
  return piece_.value_at_last;
}

double PieceIntegrals::place_of(double r) const {
  if (r <= lowest() || r >= highest()) {
    return r <= lowest() ? piece_.first : piece_.last;
  }
  const double a = std::min(piece_.first, piece_.last);
  const double b = std::max(piece_.first, piece_.last);
  const bool rises = piece_.first < piece_.last;
  const auto above = [&](double s) { return (*threshold_)(s)-r; };
  std::uintmax_t iterations = 200;
  const auto bracket = boost::math::tools::toms748_solve(
      above, a, b, (rises ? lowest() : highest()) - r, (rises ? highest() : lowest()) - r,
      boost::math::tools::eps_tolerance<double>(std::numeric_limits<double>::digits), iterations);
  return bracket.first + (bracket.second - bracket.first) / 2;
}

Sums PieceIntegrals::below_place(double s) const {
  const double share = (s - piece_.first) / (piece_.last - piece_.first);
  const int i = std::clamp(static_cast<int>(share * intervals), 0, intervals - 1);
  const double node = piece_.first + i * ((piece_.last - piece_.first) / intervals);
  const auto moment = [&](double t) { return (*stiffness_)(t) * (*threshold_)(t); };
  // The node may lie beyond s by rounding only.
  return {up_to_[i].stiffness + between(*stiffness_, node, s, deepest),
          up_to_[i].force + between(moment, node, s, deepest)};
}

double PieceIntegrals::stiffness_between(double s, double s_next) const {
  return between(*stiffness_, s, s_next, 0);
}

double PieceIntegrals::shortfall_between(double s, double s_next, double r) const {
  const auto shortfall = [&](double t) { return (*stiffness_)(t) * (r - (*threshold_)(t)); };
  return between(shortfall, s, s_next, 0);
}

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

/// Builds the sectors of one interval of r after the other.
class ContinuousTable::Builder {
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
    // The error of G' is at most 3.4/spacing times that of G at the middle. It cannot fall below
    // what the rounding of r causes in K.
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
      // The interpolator's domain may end an ulp before the sector.
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

namespace {

constexpr int sample_cells = 4096;

/// The values at s = 0, 1/4096, …, 1 and at the kinks a table names.
std::vector<double> sampled(const base::Function& function) {
  std::vector<double> values;
  for (int i = 0; i <= sample_cells; ++i) {
    values.push_back(function(static_cast<double>(i) / sample_cells));
  }
  for (const double s : function.kinks()) {
    values.push_back(function(s));
  }
  return values;
}

std::vector<double> merged(std::vector<double> some, const std::vector<double>& others) {
  some.insert(some.end(), others.begin(), others.end());
  std::ranges::sort(some);
  const auto same = [](double a, double b) { return b - a < 1e-12; };
  some.erase(std::unique(some.begin(), some.end(), same), some.end());
  return some;
}

/// ∫ f ds over [0, 1], piece by piece between breaks.
double whole_integral(const Density& f, const std::vector<double>& breaks) {
  double sum = 0.0;
  double start = 0.0;
  for (std::size_t i = 0; i <= breaks.size(); ++i) {
    const double end = i < breaks.size() ? breaks[i] : 1.0;
    // Oscillations are resolved by the first few cuts.
    constexpr int cuts = 64;
    for (int j = 0; j < cuts; ++j) {
      sum +=
          integral(f, start + (end - start) * j / cuts, start + (end - start) * (j + 1) / cuts, 6);
    }
    start = end;
  }
  return sum;
}

}  // namespace

ContinuousMeasure make_continuous_measure(const Slab& slab) {
  const Density k = [&](double s) { return slab.stiffness(s); };
  const Density eta = [&](double s) { return slab.threshold(s); };
  const Density u0 = [&](double s) { return slab.initial_u(s); };
  const double scale = std::ranges::max(sampled(slab.threshold));
  const auto profile_kinks =
      merged(kinks(eta, slab.threshold.kinks()), kinks(k, slab.stiffness.kinks()));
  ContinuousTable threshold(eta, k, profile_kinks, scale);
  if (std::ranges::all_of(sampled(slab.initial_u), [](double u) { return u == 0.0; })) {
    return ContinuousMeasure(std::move(threshold));
  }
  const auto all_kinks = merged(profile_kinks, kinks(u0, slab.initial_u.kinks()));
  const auto virgin = [&](int direction) {
    const Density theta = [&](double s) { return eta(s) - direction * u0(s); };
    return ContinuousTable(theta, k, all_kinks, scale);
  };
  const Density initial = [&](double s) { return k(s) * u0(s); };
  return ContinuousMeasure(std::move(threshold), {virgin(1), virgin(-1)},
                           whole_integral(initial, all_kinks));
}

std::string continuous_fault(const Slab& slab) {
  std::string fault;
  for (int i = 0; fault.empty() && i <= sample_cells; ++i) {
    const double s = static_cast<double>(i) / sample_cells;
    fault = value_fault(slab.element(s), [s] { return "s = " + base::to_text(s); });
  }
  return fault;
}

std::optional<StartConflict> start_conflict(const Slab& slab) {
  std::vector<Element> elements;
  for (int i = 0; i <= sample_cells; ++i) {
    elements.push_back(slab.element(static_cast<double>(i) / sample_cells));
  }
  return start_conflict(elements);
}

}  // namespace masing::slab
