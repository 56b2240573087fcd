#pragma once

#include <cstdint>

#include "base/partition.hpp"

namespace masing::base {

/// Products of two counts of cells need more than 64 bits.
__extension__ using Wide = __int128;

/// ⌊a b / c⌋ for a, b ≥ 0 and c > 0, exact; the result must fit into 64 bits. Local.
inline std::int64_t floor_of_ratio(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) {
    return product / c;
  }
  return static_cast<std::int64_t>(static_cast<Wide>(a) * b / c);
}

/// ⌈a b / c⌉ for a, b ≥ 0 and c > 0, exact; the result must fit into 64 bits. Local.
inline std::int64_t ceil_of_ratio(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) {
    return product / c + static_cast<std::int64_t>(product % c != 0);
  }
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
