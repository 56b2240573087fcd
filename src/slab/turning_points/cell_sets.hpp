#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "slab/profile.hpp"
#include "slab/turning_points/exact_sums.hpp"
#include "slab/turning_points/yield_sets.hpp"

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
/// extremes alone, not on earlier ones. Not for concurrent use.
class CellSets {
 public:
  /// The cells of a profile, in any order. Local.
  CellSets(const Profile& profile, const ExactScale& scale);

  /// The sums where x is at the extreme in `direction`. Local.
  [[nodiscard]] ExactOuterSums outer(const Extremes& extremes, int direction) const;

  /// The least growth > 0 of the extreme in `direction` that makes a cell pass a mark, or infinity.
  /// Local.
  [[nodiscard]] double growth_to_break(const Extremes& extremes, int direction) const;

  /// All cells in the order of η.
  [[nodiscard]] std::span<const YieldCell> by_threshold() const { return settled_.cells; }

 private:
  /// Cells in the order of one of their limits, and how many the mark has passed.
  struct List {
    std::vector<YieldCell> cells;
    mutable std::int64_t passed = 0;
  };

  /// Moves the mark of a list, in the order of a limit, to what an extreme has become.
  template <double Extremes::*limit>
  void move(const List& list, const Extremes& to) const;
  void transfer(const YieldCell& cell, YieldSet from, YieldSet to) const;

  ExactScale scale_;
  List up_;
  List down_;
  List settled_;
  mutable Extremes extremes_;  // of the marks
  // Σ k over cells that have yielded in one direction only, and over those that never have.
  mutable std::array<Int128, 2> one_way_{};  // upwards, downwards
  mutable Int128 never_ = 0;
  mutable Int128 settled_force_ = 0;  // Σ kη
  mutable Int128 other_force_ =
      0;  // Σ kη, yielded upwards only, - Σ kη, downwards, + Σ k u0, never
};

}  // namespace masing::slab
