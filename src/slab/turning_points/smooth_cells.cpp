#include "slab/turning_points/smooth_cells.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "slab/turning_points/elastic_energy.hpp"
#include "slab/turning_points/interval_sets.hpp"

namespace masing::slab {

namespace {

constexpr std::size_t most_pieces = 256;  // some µs a step

/// Sums over η ≤ r of P cells of a piecewise smooth profile.
class SmoothCellTable {
 public:
  /// next_break() gives ends of pieces, not every cell.
  static constexpr bool is_cellwise = false;

  explicit SmoothCellTable(IntervalSets sets) : sets_(std::move(sets)), total_(sets_.total()) {}

  [[nodiscard]] Sums total() const { return {total_.stiffness, total_.force}; }
  [[nodiscard]] const Moments& total_moments() const { return total_; }
  [[nodiscard]] Sums below(double r, SearchHint& /*hint*/) const {
    const Moments sums = moments(r);
    return {sums.stiffness, sums.force};
  }
  [[nodiscard]] Moments moments(double r) const { return sets_.below(r); }
  [[nodiscard]] double second_moment(double r) const { return moments(r).threshold_square; }
  [[nodiscard]] double next_break(double r, SearchHint& /*hint*/) const {
    return sets_.next_break(r);
  }

 private:
  IntervalSets sets_;
  Moments total_;
};

class SmoothCellMeasure final : public TableMeasure<SmoothCellTable, IntervalSets> {
 public:
  using TableMeasure::TableMeasure;

  [[nodiscard]] std::optional<double> elastic_energy(const RememberedElongation& u) const override {
    return slab::elastic_energy([this](double r) { return table_.moments(r); },
                                table_.total_moments(), sets_, u);
  }
};

double scale_of(const Slab& slab, const std::vector<SmoothSpan>& spans) {
  double scale = 0.0;
  for (const double s : telling_places(spans)) {
    scale = std::max(scale, slab.threshold(s));
  }
  return scale;
}

/// Of a slab as if u0 were 0, of which the table knows nothing.
SmoothCellTable table_of(Slab slab) {
  slab.initial_u = {};
  const std::vector<SmoothSpan> spans = smooth_spans(slab);
  const CellGrid grid{std::get<Cells>(slab.space).count, slab.rule};
  return SmoothCellTable(IntervalSets(slab, spans, scale_of(slab, spans), grid, most_pieces));
}

}  // namespace

std::shared_ptr<const Measure> make_smooth_cell_measure(const Slab& slab) {
  SmoothCellTable table = table_of(slab);
  const std::vector<SmoothSpan> spans = checked_spans(slab);
  if (std::ranges::all_of(telling_places(spans),
                          [&](double s) { return slab.initial_u(s) == 0.0; })) {
    return std::make_shared<const SmoothCellMeasure>(std::move(table));
  }
  const CellGrid grid{std::get<Cells>(slab.space).count, slab.rule};
  return std::make_shared<const SmoothCellMeasure>(
      std::move(table), IntervalSets(slab, spans, scale_of(slab, spans), grid, most_pieces));
}

double smooth_cell_preload(const Slab& slab) {
  return table_of(slab).total_moments().load;
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
