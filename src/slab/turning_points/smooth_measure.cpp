#include "slab/turning_points/measure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/hooks.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/continuous_table.hpp"
#include "slab/turning_points/interval_sets.hpp"
#include "slab/turning_points/smooth_profile.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::slab {

namespace {

/// The measure of a piecewise smooth slab, with P = ∞ or many cells. Sums over cells are computed
/// from integrals over sets of s, so that neither the memory nor the cost grows with P.
class SmoothMeasure : public Measure {
 public:
  /// `settled` has the integrals of the slab with v0 = u0 - c (see Slab) replaced by 0. `sets` has
  /// the integrals of the slab itself, or is empty if v0 = 0 everywhere.
  SmoothMeasure(IntervalSets settled, std::optional<IntervalSets> sets)
      : Measure(!sets, false), settled_(std::move(settled)), sets_(std::move(sets)) {
    total_ = settled_.all().sums();
  }

  /// Returns the next break after r; see IntervalSets::next_break(). The thresholds of single cells
  /// are no breaks here.
  [[nodiscard]] double next_break(double r, SearchHint& /*hint*/) const override {
    return settled_.next_break(r);
  }
  [[nodiscard]] Sums below(double r, SearchHint& /*hint*/) const override {
    return settled_.integrals(r).sums();
  }
  [[nodiscard]] OuterSums outer(const Excursion& excursion, int direction,
                                SearchHint& /*hint*/) const final {
    return sets_->outer(excursion, direction);
  }
  [[nodiscard]] double growth_to_break(const Excursion& excursion, int direction,
                                       SearchHint& /*hint*/) const final {
    return sets_->growth_to_break(excursion, direction);
  }
  [[nodiscard]] double slip(double r, FrontSearch /*near*/) const override {
    const Integrals below = settled_.integrals(r);
    return std::max(0.0, r * below.force - below.threshold_square);
  }
  /// Adds up the integrals band by band. The r of a leg is half the distance |position - meeting|.
  /// The bands are ranges of η, whose bounds are 0, the front, and the r of the remembered legs. In
  /// a band, v = u - c is ±η plus a constant. For the elements beyond the largest r, v is x - x0 if
  /// v0 = 0, and otherwise depends on the YieldSet.
  [[nodiscard]] std::optional<ElongationSums> sums(const RememberedElongation& u) const final {
    const Integrals& total = settled_.all();
    double twice = total.load_square;
    double loads = 0.0;
    double grip = 0.0;
    Integrals reached;
    // Adds the elements with η ≤ `next` that have not been added yet, in which v = sign·η + offset.
    const auto add_band = [&](double next, int sign, double offset) {
      const Integrals to = settled_.integrals(next);
      Integrals band = to;
      band.add(-1.0, reached);
      const double load = sign * band.load_force + offset * band.load;
      twice += band.yielded_square(sign, offset) + 2 * load;
      loads += load;
      grip += sign * band.threshold_square + offset * band.force;
      reached = to;
    };
    if (u.legs.empty()) {
      const double radius = sets_ ? 0.5 * (u.highest - u.lowest) : u.direction * (u.x - u.x0);
      add_band(std::max(0.0, radius), u.direction, 0.0);
    } else {
      add_band(std::max(0.0, 0.5 * u.direction * (u.x - u.legs.back().position)), u.direction, 0.0);
      for (auto leg = u.legs.rbegin(); leg != u.legs.rend(); ++leg) {
        const double span = leg->position - leg->meeting;
        add_band(0.5 * std::abs(span), span < 0.0 ? -1 : 1, u.x - leg->position);
      }
    }
    const double move = u.x - u.x0;
    if (!sets_) {
      const double load = total.load - reached.load;
      const double energy =
          0.5 * (twice + move * move * (total.stiffness - reached.stiffness) + 2 * move * load);
      return {{energy, loads + move * load, grip + move * (total.force - reached.force)}};
    }
    const auto [settled, up, down, never] =
        sets_->sums({u.highest - u.x0, u.x0 - u.lowest, u.highest - u.lowest});
    twice += up.yielded_square(1, u.x - u.highest) + down.yielded_square(-1, u.x - u.lowest) +
             never.initial_square_at(move);
    const double load = up.load_force + (u.x - u.highest) * up.load - down.load_force +
                        (u.x - u.lowest) * down.load + never.load_initial + move * never.load;
    grip += up.threshold_square + (u.x - u.highest) * up.force - down.threshold_square +
            (u.x - u.lowest) * down.force + never.threshold_initial + move * never.force;
    return {{0.5 * (twice + 2 * load), loads + load, grip}};
  }
  [[nodiscard]] std::optional<double> preload() const final { return settled_.all().load; }

 private:
  IntervalSets settled_;
  std::optional<IntervalSets> sets_;
};

/// The measure for P = ∞. K, M and N, which are needed most often, are looked up in a table.
class ContinuousMeasure final : public SmoothMeasure {
 public:
  ContinuousMeasure(ContinuousTable table, IntervalSets settled, std::optional<IntervalSets> sets)
      : SmoothMeasure(std::move(settled), std::move(sets)), table_(std::move(table)) {
    total_ = table_.total();
  }

  [[nodiscard]] Sums below(double r, SearchHint& hint) const override {
    return table_.below(r, hint);
  }
  void shortfalls(std::span<const double> r, std::span<double> values) const override {
    table_.shortfalls(r, values);
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

/// Compares K and M of the table at up to 257 values of r with the integrals of IntervalSets, which
/// are computed by another quadrature. Throws UserError if they differ. Differences of 1e-10 of the
/// total, and the effect of rounding r, are allowed.
void require_same_table(const ContinuousTable& table, const IntervalSets& sets) {
  // The number of values of r at which K and M are compared. It is so small that the comparison
  // takes less time than the construction of the table.
  const std::size_t places = std::clamp<std::size_t>(20000 / sets.pieces(), 16, 256);
  const double lowest = table.lowest();
  const double span = table.highest() - lowest;
  SearchHint hint;
  for (std::size_t i = 0; i <= places; ++i) {
    base::poll();
    // The least and the largest η are avoided: K may change there like a square root, so that a
    // difference would only show the rounding of r. The value for i = places lies beyond the
    // largest η.
    const double r =
        lowest +
        span * (i == places ? 2.0 : (static_cast<double>(i) + 0.5) / static_cast<double>(places));
    const Sums sums = sets.integrals(r).sums();
    const Sums tabled = table.below(r, hint);
    // The part of K that belongs to thresholds slightly above r, within the rounding error of r. It
    // matters where η is nearly constant.
    const double unsure = sets.integrals(r * (1 + 16 * base::epsilon)).stiffness - sums.stiffness;
    if (!(std::abs(tabled.stiffness - sums.stiffness) <= 1e-10 * table.total().stiffness + unsure &&
          std::abs(tabled.force - sums.force) <= 1e-10 * table.total().force + r * unsure)) {
      throw unresolved_fault(
          "threshold", fmt::format("the table of int k ds over eta <= {} gives {}, quadrature {}",
                                   base::to_text(r), base::to_text(tabled.stiffness),
                                   base::to_text(sums.stiffness)));
    }
  }
}

}  // namespace

std::shared_ptr<const Measure> make_continuous_measure(const Slab& slab) {
  check_functions(slab);
  Slab settled = slab;  // a copy with v0 = 0, as the table does not depend on v0
  settled.initial_u = {};
  const std::vector<SmoothSpan> spans = smooth_spans(settled);
  const double scale = largest_threshold(slab, spans);
  ContinuousTable table(
      slab.threshold, [&](double s) { return slope_of(slab.threshold, s); }, slab.stiffness, spans,
      scale);
  constexpr std::size_t most_pieces = 1 << 16;  // enough for a table of u0 with thousands of points
  IntervalSets whole(settled, spans, scale, std::nullopt, most_pieces);
  require_same_table(table, whole);
  const std::vector<SmoothSpan> all_spans = smooth_spans(slab);
  std::optional<IntervalSets> sets;
  if (!begins_at_zero(slab, all_spans)) {
    sets.emplace(slab, all_spans, scale, std::nullopt, most_pieces);
  }
  return std::make_shared<const ContinuousMeasure>(std::move(table), std::move(whole),
                                                   std::move(sets));
}

std::shared_ptr<const Measure> make_smooth_cell_measure(const Slab& slab) {
  const auto sets_of = [](const Slab& of, const std::vector<SmoothSpan>& spans) {
    constexpr std::size_t most_pieces = 256;  // look-ups then take a few µs
    const CellGrid grid{std::get<Cells>(of.space).count, of.rule};
    return IntervalSets(of, spans, largest_threshold(of, spans), grid, most_pieces);
  };
  Slab settled = slab;
  settled.initial_u = {};
  IntervalSets table = sets_of(settled, smooth_spans(settled));
  const std::vector<SmoothSpan> spans = smooth_spans(slab);
  std::optional<IntervalSets> sets;
  if (!begins_at_zero(slab, spans)) {
    sets = sets_of(slab, spans);
  }
  return std::make_shared<const SmoothMeasure>(std::move(table), std::move(sets));
}

bool is_smooth_in_pieces(const Slab& slab) {
  try {
    (void)make_smooth_cell_measure(slab);
  } catch (const base::UserError&) {
    return false;
  }
  return true;
}

bool has_smooth_cells(const Slab& slab) {
  return !slab.is_continuum() && slab.field_cells() > most_tabled_cells &&
         is_smooth_in_pieces(slab);
}

}  // namespace masing::slab
