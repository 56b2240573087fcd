#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "slab/profile.hpp"
#include "slab/turning_points/cell_sets.hpp"
#include "slab/turning_points/exact_sums.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::slab {

/// Counts the entries of a nondecreasing sequence that a slowly moving front has passed: searches
/// first where the front would be at its last speed, then ever farther away. The result does not
/// depend on earlier searches; only the cost does. Not for concurrent use.
class FrontSearch {
 public:
  /// The number of entries ≤ `r` of the `size` entries at(0) ≤ at(1) ≤ …. Local.
  template <class At>
  std::int64_t passed(const At& at, std::int64_t size, double r) {
    const std::int64_t guess = std::clamp<std::int64_t>(expected(), 0, size);
    // Entries before `low` are ≤ r, entries from `high` on are > r.
    std::int64_t low = guess;
    std::int64_t high = guess;
    std::int64_t stride = 1;
    if (guess < size && at(guess) <= r) {
      for (low = guess + 1; low + stride <= size && at(low + stride - 1) <= r; stride *= 2) {
        low += stride;
      }
      high = std::min(size, low + stride - 1);
    } else {
      for (; high >= stride && at(high - stride) > r; stride *= 2) {
        high -= stride;
      }
      low = std::max<std::int64_t>(0, high - stride + 1);
    }
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (at(middle) <= r) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    speed_ = low - last_;
    last_ = low;
    return low;
  }

  /// Where the next search is expected to end, not limited to the sequence. Local.
  [[nodiscard]] std::int64_t expected() const { return last_ + speed_; }

 private:
  std::int64_t last_ = 0;
  std::int64_t speed_ = 0;
};

/// A StiffnessMeasure from a table and, where u0 is not 0 everywhere, the four YieldSets. A Table
/// has
///     total()         Σ k δs and Σ k η δs over all cells,
///     below(r)        the same over η ≤ r, nondecreasing in r and total() at the end,
///     next_break(r)   the least r' > r where below() is not smooth, or infinity,
///     is_cellwise     true if below() is constant between breaks.
/// Sets have
///     outer(extremes, σ)             OuterSums,
///     growth_to_break(extremes, σ)   the least growth > 0 of an extreme up to where the sums are
///     not
///                                    smooth, or infinity.
template <class Table, class Sets>
class TableMeasure {
 public:
  static constexpr bool is_cellwise = Table::is_cellwise;

  /// `sets`: none where u0 = 0.
  explicit TableMeasure(Table threshold, std::optional<Sets> sets = {})
      : threshold_(std::move(threshold)), sets_(std::move(sets)) {}

  [[nodiscard]] double total_stiffness() const { return threshold_.total().stiffness; }
  [[nodiscard]] Sums below(double r) const { return threshold_.below(r); }
  [[nodiscard]] bool begins_at_zero() const { return !sets_; }
  [[nodiscard]] OuterSums outer(const Extremes& extremes, int direction) const {
    return sets_->outer(extremes, direction);
  }

  [[nodiscard]] double next_break(double r) const { return threshold_.next_break(r); }
  [[nodiscard]] double growth_to_break(const Extremes& extremes, int direction) const {
    return sets_->growth_to_break(extremes, direction);
  }

  [[nodiscard]] const Table& table() const { return threshold_; }
  [[nodiscard]] const std::optional<Sets>& sets() const { return sets_; }

 private:
  Table threshold_;
  std::optional<Sets> sets_;
};

/// Sums over the cells with η_i ≤ r, tabulated in the order of η; exact sums rounded once. A
/// look-up costs some 5 ns where the front moves smoothly, whatever P. Not for concurrent use.
class CellTable {
 public:
  static constexpr bool is_cellwise = true;

  /// η_i and k_i of all cells, in any order; the table does not depend on it. Local.
  CellTable(std::span<const YieldCell> cells, const ExactScale& scale);
  CellTable(const Profile& all, const ExactScale& scale);

  [[nodiscard]] Sums total() const { return nodes_[static_cast<std::size_t>(cells())].sums; }

  [[nodiscard]] Sums below(double r) const {
    const std::int64_t passed = find(r);
    // At a few hundred cells a step every look-up would miss the caches.
    __builtin_prefetch(nodes_.data() + std::clamp<std::int64_t>(search_.expected(), 0, cells()));
    return nodes_[static_cast<std::size_t>(passed)].sums;
  }

  /// The least η_i > r, or infinity.
  [[nodiscard]] double next_break(double r) const {
    return nodes_[static_cast<std::size_t>(find(r) + 1)].threshold;
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
  [[nodiscard]] std::int64_t find(double r) const {
    return search_.passed(
        [nodes = nodes_.data() + 1](std::int64_t i) { return nodes[i].threshold; }, cells(), r);
  }

  std::vector<Node> nodes_;  // [P + 2], from -∞ to +∞
  mutable FrontSearch search_;
};

/// The CellSets of all cells, as numbers.
class WholeSets {
 public:
  WholeSets(CellSets sets, const ExactScale& scale) : sets_(std::move(sets)), scale_(scale) {}

  [[nodiscard]] OuterSums outer(const Extremes& extremes, int direction) const {
    return outer_sums(sets_.outer(extremes, direction), scale_);
  }
  [[nodiscard]] double growth_to_break(const Extremes& extremes, int direction) const {
    return sets_.growth_to_break(extremes, direction);
  }

 private:
  CellSets sets_;
  ExactScale scale_;
};

/// The distribution of stiffness of P cells.
using CellMeasure = TableMeasure<CellTable, WholeSets>;

/// The measure of a whole profile, all P cells. Local.
CellMeasure make_cell_measure(const Profile& all);

/// Whether u0 is 0 in all cells of the range. Local.
bool begins_at_zero(const Profile& profile);

}  // namespace masing::slab
