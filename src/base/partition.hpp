#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace masing::base {

/// The number of cells in a block, which is a range of consecutive cells. A sum over cells is
/// rounded to an integer once per block (block_sum.hpp), and cells are distributed over the ranks
/// in whole blocks. Blocks begin at those GLOBAL cell indices that are multiples of this number, so
/// that a sum over blocks does not depend on the distribution.
inline constexpr std::int64_t block_cells = 1024;

/// A half-open range of global cell indices [first, first + size), counted from 0.
struct CellRange {
  std::int64_t first = 0;
  std::int64_t size = 0;
};

/// Returns the cells of rank `rank` if `cells` cells are distributed over `ranks` ranks. Each rank
/// gets consecutive whole blocks, in the order of the ranks, and the numbers of blocks differ by at
/// most 1. A rank may have no cells. Local.
inline CellRange local_range(std::int64_t cells, int rank, int ranks) {
  assert(cells >= 1 && ranks >= 1 && rank >= 0 && rank < ranks);
  const std::int64_t blocks = (cells - 1) / block_cells + 1;
  const std::int64_t share = blocks / ranks;
  const std::int64_t left_over = blocks % ranks;
  const auto first_block = [&](std::int64_t r) { return r * share + std::min(r, left_over); };
  const auto first_cell = [&](std::int64_t r) {
    const std::int64_t block = first_block(r);
    return block == blocks ? cells : block * block_cells;
  };
  const std::int64_t first = first_cell(rank);
  return {first, first_cell(rank + 1) - first};
}

/// An integer for products of two counts of cells and for exact sums, which may need more than 64
/// bits.
__extension__ using Wide = __int128;

/// Returns ⌊a b / c⌋ for a, b ≥ 0 and c > 0, computed exactly; the result must fit into 64 bits.
/// Local.
inline std::int64_t floor_of_ratio(std::int64_t a, std::int64_t b, std::int64_t c) {
  return static_cast<std::int64_t>(static_cast<Wide>(a) * b / c);
}

/// Returns ⌈a b / c⌉ for a, b ≥ 0 and c > 0, computed exactly; the result must fit into 64 bits.
/// Local.
inline std::int64_t ceil_of_ratio(std::int64_t a, std::int64_t b, std::int64_t c) {
  return static_cast<std::int64_t>((static_cast<Wide>(a) * b + (c - 1)) / c);
}

/// Selects n ≤ P of P cells at nearly equal distances. The selected cells are ⌊(2j+1)P/(2n)⌋ for j
/// = 0..n-1; if n = P, these are all cells.
struct Thinning {
  std::int64_t cells = 1;  ///< P, the number of all cells
  std::int64_t kept = 1;   ///< n, the number of selected cells

  /// Returns the global index of the j-th selected cell. Local.
  [[nodiscard]] std::int64_t cell(std::int64_t j) const {
    return floor_of_ratio(2 * j + 1, cells, 2 * kept);
  }

  /// Returns the range of those j for which cell(j) lies in `range`. Local.
  [[nodiscard]] CellRange kept_of(const CellRange& range) const {
    const std::int64_t first = kept_before(range.first);
    return {first, kept_before(range.first + range.size) - first};
  }

 private:
  /// Returns the number of selected cells whose index is less than `cell`. This is the smallest j
  /// with cell(j) ≥ `cell`, that is with (2j+1)P ≥ 2n·`cell`, and so it is ⌊⌈2n·`cell`/P⌉/2⌋.
  [[nodiscard]] std::int64_t kept_before(std::int64_t cell) const {
    return ceil_of_ratio(2 * kept, cell, cells) / 2;
  }
};

}  // namespace masing::base
