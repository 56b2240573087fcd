#include "slab/turning_points/smooth_cells.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "slab/turning_points/elastic_energy.hpp"

namespace masing::slab {

namespace {

constexpr std::size_t most_pieces = 256;  // some µs a step

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

SmoothCellMeasure make_smooth_cell_measure(const Slab& slab) {
  SmoothCellTable table = table_of(slab);
  const std::vector<SmoothSpan> spans = checked_spans(slab);
  if (std::ranges::all_of(telling_places(spans),
                          [&](double s) { return slab.initial_u(s) == 0.0; })) {
    return SmoothCellMeasure(std::move(table));
  }
  const CellGrid grid{std::get<Cells>(slab.space).count, slab.rule};
  return SmoothCellMeasure(std::move(table),
                           IntervalSets(slab, spans, scale_of(slab, spans), grid, most_pieces));
}

double elastic_energy(const SmoothCellMeasure& measure, const RememberedElongation& u) {
  return elastic_energy([&](double r) { return measure.table().moments(r); },
                        measure.table().total_moments(), measure.sets(), u);
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
