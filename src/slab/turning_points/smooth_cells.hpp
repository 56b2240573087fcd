#pragma once

#include <cstdint>
#include <memory>

#include "slab/problem.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::slab {

/// Cells beyond which sums over a piecewise smooth profile are those of IntervalSets: no table,
/// whatever P.
inline constexpr std::int64_t most_tabled_cells = std::int64_t{1} << 24;

/// The measure of a slab with a number of cells, admissible ones (continuous_fault). Throws
/// UserError where k, η, u0 and c have not a few smooth and monotone pieces. Local.
std::shared_ptr<const Measure> make_smooth_cell_measure(const Slab& slab);

/// δs Σ k c, the preload of thresholds that differ by direction. Throws likewise. Local.
double smooth_cell_preload(const Slab& slab);

/// Whether k, η, u0 and c of a slab with a number of cells have a few smooth and monotone pieces.
/// Local.
bool is_smooth_in_pieces(const Slab& slab);

/// Whether such a slab has more than most_tabled_cells. Local.
bool has_smooth_cells(const Slab& slab);

}  // namespace masing::slab
