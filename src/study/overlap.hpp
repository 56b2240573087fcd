#pragma once

#include <cstdint>

#include "base/partition.hpp"
#include "base/ratio.hpp"
#include "options/configuration.hpp"

namespace study {

/// How the cells of two partitions of ]0, 1] lie to each other; 0-based, cells ]i/P, (i+1)/P].
class Overlap {
 public:
  Overlap(options::Rule rule, std::int64_t level_cells, std::int64_t reference_cells)
      : level_(level_cells), reference_(reference_cells), rule_(rule) {}

  /// First and last cell of the level that share an interval with the reference's cell j.
  [[nodiscard]] std::int64_t first(std::int64_t j) const {
    return base::floor_of_ratio(j, level_, reference_);
  }
  [[nodiscard]] std::int64_t last(std::int64_t j) const {
    return base::ceil_of_ratio(j + 1, level_, reference_) - 1;
  }

  /// The reference's cell that holds the point of the level's cell i.
  [[nodiscard]] std::int64_t holder(std::int64_t i) const {
    const std::int64_t halves = rule_ == options::Rule::right ? 2 * i + 2 : 2 * i + 1;
    return base::ceil_of_ratio(halves, reference_, 2 * level_) - 1;  // s = halves/(2 P_level)
  }

  /// The cells of the level that overlap a range of the reference's.
  [[nodiscard]] base::CellRange needed(const base::CellRange& range) const {
    if (range.size == 0) {
      return {};
    }
    return {first(range.first), last(range.first + range.size - 1) - first(range.first) + 1};
  }

 private:
  std::int64_t level_;
  std::int64_t reference_;
  options::Rule rule_;
};

}  // namespace study
