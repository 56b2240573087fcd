#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "parallel/rank_sum.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/cell_measure.hpp"

namespace masing::engine {

/// Sums over the cells with η_i ≤ r of all ranks, where one table of all cells would be too large
/// for each: every rank keeps its own cells in the order of η, adds them up exactly, and the ranks'
/// integers are added. To the bit what slab::CellTable gives, on any number of ranks.
class SlabTable {
 public:
  static constexpr bool is_cellwise = true;

  /// η_i and k_i of this rank's cells, in any order. `comm` must outlive the table. Collective.
  SlabTable(const parallel::Communicator& comm, const slab::Profile& profile,
            const slab::ExactScale& scale);

  /// Over all cells of all ranks. Local.
  [[nodiscard]] slab::Sums total() const { return total_; }
  /// Collective; the same `r` on every rank.
  [[nodiscard]] slab::Sums below(double r) const;
  /// The least η_i > r, or infinity. Collective.
  [[nodiscard]] double next_break(double r) const;

 private:
  struct Cell {
    double threshold;
    double stiffness;
  };

  [[nodiscard]] std::int64_t passed(double r) const;
  [[nodiscard]] slab::ExactSums sum_of_first(std::int64_t cells) const;

  const parallel::Communicator* comm_;
  std::shared_ptr<parallel::RankSum> sum_;
  slab::ExactScale scale_;
  std::vector<Cell> cells_;                  // in the order of η
  std::vector<slab::ExactSums> group_sums_;  // before each group of cells, and after the last
  slab::Sums total_;
  mutable slab::FrontSearch search_;
};

/// The sum over the ranks of exact sums, exact. Collective.
slab::ExactSums sum_over_ranks(parallel::RankSum& sum, const slab::ExactSums& sums);

/// What δs Σ term_i, and every part of it, stays within: the largest term; or, where that is over
/// 2¹⁰ times the sum, the sum, lest a fixed-point sum lose what a few large terms exceed the others
/// by. `term`: of local cell i, ≥ 0, one of them in [1e-200, 1e200]; `range` of `cells`. The same
/// on any number of ranks. Collective.
double sum_bound(const parallel::Communicator& comm, const base::CellRange& range,
                 std::int64_t cells, const std::function<double(std::int64_t)>& term);

/// The slab::CellSets of every rank's cells, added exactly.
class SlabSets {
 public:
  /// `comm` must outlive it. Collective.
  SlabSets(const parallel::Communicator& comm, const slab::Profile& profile,
           const slab::ExactScale& scale);

  /// Collective; the same arguments on every rank.
  [[nodiscard]] slab::OuterSums outer(const slab::Extremes& extremes, int direction) const;
  /// Collective; the same arguments on every rank.
  [[nodiscard]] double growth_to_break(const slab::Extremes& extremes, int direction) const;

 private:
  const parallel::Communicator* comm_;
  std::shared_ptr<parallel::RankSum> sum_;
  slab::ExactScale scale_;
  slab::CellSets sets_;
};

/// The distribution of stiffness of P cells, each rank with its own; look-ups are collective.
using DistributedMeasure = slab::TableMeasure<SlabTable, SlabSets>;

/// Cells up to which every rank gets the whole table (some 50 MB), and a step needs no
/// communication.
inline constexpr std::int64_t replicated_cells = std::int64_t{1} << 21;

/// Bytes a cell: a table of all cells, a rank's own table, and the lists beside where u0 is not 0.
inline constexpr double bytes_of_table = 24.0;
inline constexpr double bytes_of_own_table = 17.0;
inline constexpr double bytes_of_lists = 72.0;

/// Whether replicated_measure is the one to take, whatever memory there is, for `cells` cells.
/// Local.
inline bool fits_every_rank(int ranks, std::int64_t cells) {
  return ranks == 1 || cells <= replicated_cells;
}

/// Bytes a cell of replicated_measure. Collective.
double table_bytes(const parallel::Communicator& comm, const slab::Profile& profile);

/// The measure of all cells on every rank, from the slab of each. Collective.
slab::CellMeasure replicated_measure(const parallel::Communicator& comm,
                                     const slab::Profile& profile);

/// The measure of all `cells` cells, each rank with the cells of its slab. The same bits as
/// replicated_measure. `comm` must outlive it. Collective.
DistributedMeasure distributed_measure(const parallel::Communicator& comm,
                                       const slab::Profile& profile, std::int64_t cells);

}  // namespace masing::engine
