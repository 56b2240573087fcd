#pragma once

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
CellRange local_range(std::int64_t cells, int rank, int ranks);

}  // namespace masing::base
