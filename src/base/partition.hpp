#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace masing::base {

/// Cells of a block: the unit of summation and of distribution. Blocks begin at multiples of it in
/// the GLOBAL cell index, so that a sum over blocks does not depend on the distribution.
inline constexpr std::int64_t block_cells = 1024;

/// A half-open range of global cell indices [first, first + size), 0-based.
struct CellRange {
  std::int64_t first = 0;
  std::int64_t size = 0;
};

/// The cells of rank `rank` of `ranks`: whole blocks of `cells` cells in order, as even as blocks
/// allow; a rank may have none. Local.
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

/// Products of two counts of cells need more than 64 bits.
__extension__ using Wide = __int128;

/// ⌊a b / c⌋ for a, b ≥ 0 and c > 0, exact; the result must fit into 64 bits. Local.
inline std::int64_t floor_of_ratio(std::int64_t a, std::int64_t b, std::int64_t c) {
  return static_cast<std::int64_t>(static_cast<Wide>(a) * b / c);
}

/// ⌈a b / c⌉ for a, b ≥ 0 and c > 0, exact; the result must fit into 64 bits. Local.
inline std::int64_t ceil_of_ratio(std::int64_t a, std::int64_t b, std::int64_t c) {
  return static_cast<std::int64_t>((static_cast<Wide>(a) * b + (c - 1)) / c);
}

/// n of P cells at even distances, n ≤ P: cell ⌊(2j+1)P/(2n)⌋ for j = 0..n-1, all cells for n = P.
struct Thinning {
  std::int64_t cells = 1;  ///< P
  std::int64_t kept = 1;   ///< n

  /// The global index of the j-th kept cell. Local.
  [[nodiscard]] std::int64_t cell(std::int64_t j) const {
    return floor_of_ratio(2 * j + 1, cells, 2 * kept);
  }

  /// Which of the kept cells lie in a range of cells, as a range of j. Local.
  [[nodiscard]] CellRange kept_of(const CellRange& range) const {
    const std::int64_t first = kept_before(range.first);
    return {first, kept_before(range.first + range.size) - first};
  }

 private:
  /// How many kept cells lie below a cell: (2j+1)P ≥ 2n·cell holds from j = ⌈2n·cell/P⌉/2 on.
  [[nodiscard]] std::int64_t kept_before(std::int64_t cell) const {
    return ceil_of_ratio(2 * kept, cell, cells) / 2;
  }
};

}  // namespace masing::base
