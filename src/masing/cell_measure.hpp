#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "masing/exact_sums.hpp"
#include "masing/front_search.hpp"
#include "masing/profile.hpp"
#include "masing/table_measure.hpp"

namespace masing {

/// Sums over the cells with θ_i ≤ r, tabulated in the order of θ; exact sums rounded once. A
/// look-up costs some 5 ns where the front moves smoothly, whatever P. Not for concurrent use.
class CellTable {
 public:
  static constexpr bool is_cellwise = true;

  /// θ_i and k_i of all cells, [P] each, in any order; the table does not depend on it. Local.
  CellTable(std::span<const double> threshold, std::span<const double> stiffness,
            const ExactScale& scale);
  /// θ_i = η_i - σ u0_i, σ the `direction` -1, 0 or 1, and k_i of a whole profile. Local.
  CellTable(const Profile& all, int direction, const ExactScale& scale);

  [[nodiscard]] Sums total() const { return nodes_[static_cast<std::size_t>(cells())].sums; }

  [[nodiscard]] Sums below(double r) const {
    const std::int64_t passed = find(r);
    // At a few hundred cells a step every look-up would wait for the memory.
    __builtin_prefetch(nodes_.data() + std::clamp<std::int64_t>(search_.expected(), 0, cells()));
    return nodes_[static_cast<std::size_t>(passed)].sums;
  }

  /// The least θ_i > r, or infinity.
  [[nodiscard]] double next_break(double r) const {
    return nodes_[static_cast<std::size_t>(find(r) + 1)].threshold;
  }

 private:
  /// θ of one cell, and the sums up to it.
  struct Node {
    double threshold = 0.0;
    Sums sums;
  };

  /// Nodes with θ_i and k_i into the order of θ, k_i into sums.
  void add_up(const ExactScale& scale);

  [[nodiscard]] std::int64_t cells() const { return static_cast<std::int64_t>(nodes_.size()) - 2; }
  [[nodiscard]] std::int64_t find(double r) const {
    return search_.passed(
        [nodes = nodes_.data() + 1](std::int64_t i) { return nodes[i].threshold; }, cells(), r);
  }

  std::vector<Node> nodes_;  // [P + 2], from -∞ to +∞
  mutable FrontSearch search_;
};

/// The distribution of stiffness of P cells.
using CellMeasure = TableMeasure<CellTable>;

/// The measure of a whole profile, all P cells. Local.
CellMeasure make_cell_measure(const Profile& all);

/// η_i - σ u0_i of local cell i, at which it yields when moved from the start in direction σ; for
/// σ = 0 η_i. Local.
inline double virgin_threshold(const Profile& profile, int direction, std::int64_t i) {
  return profile.threshold_of(i) - direction * profile.initial_u_of(i);
}

/// Whether u0 is 0 in all cells of the range. Local.
bool begins_at_zero(const Profile& profile);

/// Why cells that began at `initial_u` cannot be remembered by turning points, in one line; empty
/// if they can: |u0 - u0'| ≤ |η - η'| to rounding for any two of the cells, [P] each. Local.
std::string memory_fault(std::span<const double> threshold, std::span<const double> initial_u);
/// The same for two cells. Local.
std::string memory_fault(double threshold, double initial_u, double other_threshold,
                         double other_initial_u);

}  // namespace masing
