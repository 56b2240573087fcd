#pragma once

#include <cstdint>
#include <optional>

#include "slab/turning_points/cell_measure.hpp"
#include "slab/turning_points/interval_sets.hpp"

namespace masing::slab {

/// Cells beyond which sums over a piecewise smooth profile are those of IntervalSets: no table,
/// whatever P.
inline constexpr std::int64_t most_tabled_cells = std::int64_t{1} << 24;

/// Σ k δs and Σ k η δs over η ≤ r for P cells of a piecewise smooth profile. Not for concurrent
/// use.
class SmoothCellTable {
 public:
  /// next_break() gives ends of pieces, not every cell.
  static constexpr bool is_cellwise = false;

  explicit SmoothCellTable(IntervalSets sets) : sets_(std::move(sets)), total_(sets_.total()) {}

  [[nodiscard]] Sums total() const { return {total_.stiffness, total_.force}; }
  [[nodiscard]] const Moments& total_moments() const { return total_; }
  [[nodiscard]] Sums below(double r) const {
    const Moments sums = sets_.below(r);
    return {sums.stiffness, sums.force};
  }
  [[nodiscard]] Moments moments(double r) const { return sets_.below(r); }
  [[nodiscard]] double next_break(double r) const { return sets_.next_break(r); }

 private:
  IntervalSets sets_;
  Moments total_;
};

/// The distribution of stiffness of P cells of a piecewise smooth profile.
using SmoothCellMeasure = TableMeasure<SmoothCellTable, IntervalSets>;

/// ½ δs Σ k u². Local.
double elastic_energy(const SmoothCellMeasure& measure, const RememberedElongation& u);

/// The measure of a slab with a number of cells, admissible ones (continuous_fault). Throws
/// UserError where k, η, u0 and c have not a few smooth and monotone pieces. Local.
SmoothCellMeasure make_smooth_cell_measure(const Slab& slab);

/// δs Σ k c, the preload of thresholds that differ by direction. Throws likewise. Local.
double smooth_cell_preload(const Slab& slab);

/// Whether k, η, u0 and c of a slab with a number of cells have a few smooth and monotone pieces.
/// Local.
bool is_smooth_in_pieces(const Slab& slab);

/// Whether such a slab has more than most_tabled_cells. Local.
bool has_smooth_cells(const Slab& slab);

}  // namespace masing::slab
