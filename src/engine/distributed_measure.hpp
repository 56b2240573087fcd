#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "parallel/rank_sum.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/cell_measure.hpp"

namespace masing::engine {

/// The sum over the ranks of exact sums, exact. Collective.
slab::ExactSums sum_over_ranks(parallel::RankSum& sum, const slab::ExactSums& sums);

/// A bound of δs Σ term_i and of every part of it, for base::FixedPoint: the largest term. Where
/// that is more than 2¹⁰ times the sum, the sum itself: a fixed point scaled to few large terms
/// would lose the digits of all others. `term`: of local cell i, ≥ 0, one of them in [1e-200,
/// 1e200]; `range` of `cells`. The same on any number of ranks. Collective.
double sum_bound(const parallel::Communicator& comm, const base::CellRange& range,
                 std::int64_t cells, const std::function<double(std::int64_t)>& term);

/// Bytes a cell: a table of all cells, a rank's own of several, and the lists beside where u0 is
/// not 0.
inline constexpr double bytes_of_table = 24.0;
inline constexpr double bytes_of_own_table = 17.0;
inline constexpr double bytes_of_lists = 72.0;

/// The measure of all `cells` cells, each rank with the cells of its slab; look-ups are collective.
/// The same bits as slab::make_cell_measure. `comm` must outlive it. Collective.
std::shared_ptr<const slab::Measure> distributed_measure(const parallel::Communicator& comm,
                                                         const slab::Profile& profile,
                                                         std::int64_t cells);

}  // namespace masing::engine
