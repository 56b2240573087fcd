#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "slab/profile.hpp"
#include "slab/turning_points/exact_sums.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::slab {

/// Sorts what mostly is in order already, or in the opposite one. Local.
template <class Cell, class Key>
void put_in_order(std::span<Cell> cells, const Key& key) {
  if (std::ranges::is_sorted(cells, std::ranges::greater(), key)) {
    std::ranges::reverse(cells);
  } else if (!std::ranges::is_sorted(cells, {}, key)) {
    std::ranges::sort(cells, {}, key);
  }
}

/// OuterSums as integers: the same bits in any order.
struct ExactOuterSums {
  ExactSums opposite;  ///< Σ k over cells yielded only the other way, and the force of all cells
  ExactSums never;     ///< Σ k over cells never yielded
};

/// As numbers. Local.
inline OuterSums outer_sums(const ExactOuterSums& sums, const ExactScale& scale) {
  const Sums opposite = scale.value(sums.opposite);
  return {opposite.stiffness, scale.value(sums.never).stiffness, opposite.force};
}

/// Sums over the four YieldSets of P cells. Each of three lists, in the order of η - u0, η + u0 and
/// 2η, has a mark that goes with an extreme of x: a cell that it passes changes its set, at most
/// twice while x goes on. So a step costs O(1), amortised over a run. The sums depend on the
/// extremes alone, not on earlier ones.
class CellSets {
 public:
  /// The cells of a profile, in any order. Local.
  CellSets(const Profile& profile, const ExactScale& scale);

  /// The sums where x is at the extreme in `direction`. Local.
  [[nodiscard]] ExactOuterSums outer(const Extremes& extremes, int direction,
                                     SearchHint& hint) const;

  /// The least growth > 0 of the extreme in `direction` that makes a cell pass a mark, or infinity.
  /// Local.
  [[nodiscard]] double growth_to_break(const Extremes& extremes, int direction,
                                       SearchHint& hint) const;

  /// All cells in the order of η.
  [[nodiscard]] std::span<const YieldCell> by_threshold() const { return lists_.back(); }

 private:
  /// Moves the mark of a list to what its extreme has become.
  void move(std::size_t list, const Extremes& to, CellMarks& marks) const;
  void transfer(const YieldCell& cell, YieldSet from, YieldSet to, CellMarks& marks) const;

  ExactScale scale_;
  std::array<std::vector<YieldCell>, 3> lists_;  // in the order of each of the limits
  CellMarks start_;                              // no cell has passed
};

}  // namespace masing::slab
