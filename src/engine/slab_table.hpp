#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "masing/exact_sums.hpp"
#include "masing/front_search.hpp"
#include "masing/profile.hpp"
#include "parallel/rank_sum.hpp"

namespace engine {

/// Sums over the cells with θ_i ≤ r of all ranks, where one table of all cells would be too large
/// for each: every rank keeps its own cells in the order of θ, adds them up exactly, and the ranks'
/// integers are added. To the bit what masing::CellTable gives, on any number of ranks.
class SlabTable {
 public:
  static constexpr bool is_cellwise = true;

  /// θ_i = η_i - σ u0_i, σ the `direction` -1, 0 or 1, and k_i of this rank's cells, in any order.
  /// `comm` must outlive the table. Collective.
  SlabTable(const parallel::Communicator& comm, const masing::Profile& profile, int direction,
            const masing::ExactScale& scale);

  /// Over all cells of all ranks. Local.
  [[nodiscard]] masing::Sums total() const { return total_; }
  /// Collective; the same `r` on every rank.
  [[nodiscard]] masing::Sums below(double r) const;
  /// The least θ_i > r, or infinity. Collective.
  [[nodiscard]] double next_break(double r) const;

 private:
  struct Cell {
    double threshold;
    double stiffness;
  };

  [[nodiscard]] std::int64_t passed(double r) const;
  [[nodiscard]] masing::ExactSums sum_of_first(std::int64_t cells) const;

  const parallel::Communicator* comm_;
  std::shared_ptr<parallel::RankSum> sum_;
  masing::ExactScale scale_;
  std::vector<Cell> cells_;                    // in the order of θ
  std::vector<masing::ExactSums> group_sums_;  // before each group of cells, and after the last
  masing::Sums total_;
  mutable masing::FrontSearch search_;
};

/// The sum over the ranks of exact sums, exact. Collective.
masing::ExactSums sum_over_ranks(parallel::RankSum& sum, const masing::ExactSums& sums);

}  // namespace engine
