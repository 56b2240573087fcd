#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "slab/profile.hpp"
#include "slab/turning_points/cell_sets.hpp"
#include "slab/turning_points/exact_sums.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::slab {

/// Sums over the cells with η_i ≤ r, tabulated in the order of η; exact sums rounded once. A
/// look-up costs some 5 ns where the front moves smoothly, whatever P.
class CellTable {
 public:
  static constexpr bool is_cellwise = true;

  /// η_i and k_i of all cells, in any order; the table does not depend on it. Local.
  CellTable(std::span<const YieldCell> cells, const ExactScale& scale);
  CellTable(const Profile& all, const ExactScale& scale);

  [[nodiscard]] Sums total() const { return nodes_[static_cast<std::size_t>(cells())].sums; }

  [[nodiscard]] Sums below(double r, SearchHint& hint) const {
    const std::int64_t passed = find(r, hint);
    // At a few hundred cells a step every look-up would miss the caches.
    __builtin_prefetch(nodes_.data() + std::clamp<std::int64_t>(hint.front.expected(), 0, cells()));
    return nodes_[static_cast<std::size_t>(passed)].sums;
  }

  /// The least η_i > r, or infinity.
  [[nodiscard]] double next_break(double r, SearchHint& hint) const {
    return nodes_[static_cast<std::size_t>(find(r, hint) + 1)].threshold;
  }

 private:
  /// η of one cell, and the sums up to it.
  struct Node {
    double threshold = 0.0;
    Sums sums;
  };

  /// Nodes with η_i and k_i into the order of η, k_i into sums.
  void add_up(const ExactScale& scale);

  [[nodiscard]] std::int64_t cells() const { return static_cast<std::int64_t>(nodes_.size()) - 2; }
  [[nodiscard]] std::int64_t find(double r, SearchHint& hint) const {
    return hint.front.passed(
        [nodes = nodes_.data() + 1](std::int64_t i) { return nodes[i].threshold; }, cells(), r);
  }

  std::vector<Node> nodes_;  // [P + 2], from -∞ to +∞
};

/// The measure of a whole profile, all P cells. Local.
std::shared_ptr<const Measure> make_cell_measure(const Profile& all);

/// Whether u0 is 0 in all cells of the range. Local.
bool begins_at_zero(const Profile& profile);

}  // namespace masing::slab
