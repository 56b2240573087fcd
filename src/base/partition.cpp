#include "base/partition.hpp"

#include <algorithm>
#include <cassert>

namespace masing::base {

CellRange local_range(std::int64_t cells, int rank, int ranks) {
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

}  // namespace masing::base
