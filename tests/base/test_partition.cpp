// Blocks have 1024 cells, from multiples of 1024 in the global index on. Whole blocks are
// distributed evenly, so that a sum over blocks does not depend on the number of ranks. Some of the
// cells go to a file. Sums over blocks are in units of C·2⁻⁶², C the least power of two ≥ the
// bound.

#include "base/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/block_sum.hpp"
#include "base/error.hpp"

namespace masing::test_partition {

using base::block_cells;
using base::CellRange;
using base::FixedPoint;
using base::local_range;
using base::Thinning;

constexpr std::int64_t one = 1;
constexpr std::int64_t two_to_53 = one << 53;

/// Whole blocks in order, as many on each rank, but for one more on each of the first ones.
TEST(Partition, deals_whole_blocks_as_evenly_as_they_allow) {
  for (const std::int64_t cells :
       {one, 2 * one, 1023 * one, block_cells, block_cells + 1, 5000 * one, 1000000 * one,
        50000 * block_cells, 150000 * block_cells, (one << 31) - 1, one << 31, (one << 40) + 1,
        one << 41, two_to_53}) {
    const std::int64_t blocks = (cells + block_cells - 1) / block_cells;
    for (const int ranks : {1, 2, 3, 4, 7, 64, 1000, 100000}) {
      SCOPED_TRACE(testing::Message() << cells << " cells on " << ranks);
      const auto first_of = [&](std::int64_t rank) {
        const std::int64_t block = blocks / ranks * rank + std::min(rank, blocks % ranks);
        return std::min(cells, block * block_cells);
      };
      for (int rank = 0; rank < ranks; ++rank) {
        const CellRange slab = local_range(cells, rank, ranks);
        ASSERT_EQ(slab.first, first_of(rank)) << "rank " << rank;
        ASSERT_EQ(slab.first + slab.size, first_of(rank + 1)) << "rank " << rank;
      }
    }
  }
}

/// Every kept cell lies on the one rank whose range of cells holds it.
TEST(Thinning, gives_each_kept_cell_to_the_rank_that_holds_it) {
  for (const std::int64_t cells : {1, 1024, 1025, 5000, 10007}) {
    for (const std::int64_t kept : {one, cells / 3 + 1, cells}) {
      const Thinning thinning{.cells = cells, .kept = kept};
      for (const int ranks : {1, 2, 3, 7}) {
        std::int64_t next = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          const base::CellRange slab = base::local_range(cells, rank, ranks);
          const base::CellRange mine = thinning.kept_of(slab);
          ASSERT_EQ(mine.first, next) << cells << ", " << kept << ", rank " << rank;
          for (std::int64_t j = mine.first; j < mine.first + mine.size; ++j) {
            ASSERT_GE(thinning.cell(j), slab.first);
            ASSERT_LT(thinning.cell(j), slab.first + slab.size);
          }
          next += mine.size;
        }
        ASSERT_EQ(next, kept);
      }
    }
  }
  const Thinning three{.cells = 10, .kept = 3};  // in the middle of thirds: 10/6, 30/6, 50/6
  EXPECT_EQ(std::vector({three.cell(0), three.cell(1), three.cell(2)}), (std::vector{1L, 5L, 8L}));
}

TEST(Thinning, counts_beyond_64_bits) {
  EXPECT_EQ(base::ceil_of_ratio(7, 5, 4), 9);
  EXPECT_EQ(base::ceil_of_ratio(7, 4, 4), 7);
  EXPECT_EQ(base::floor_of_ratio(two_to_53 - 1, two_to_53 - 1, two_to_53), two_to_53 - 2);
  EXPECT_EQ(base::ceil_of_ratio(two_to_53 - 1, two_to_53 - 1, two_to_53), two_to_53 - 1);
  const Thinning thinning{.cells = two_to_53 - 1, .kept = two_to_53 - 2};
  EXPECT_EQ(thinning.cell(0), 0);
  EXPECT_EQ(thinning.cell(thinning.kept - 1), two_to_53 - 2);
  EXPECT_EQ(thinning.kept_of({0, thinning.cells}).size, thinning.kept);
  const base::CellRange last = base::local_range(thinning.cells, 2, 3);
  const base::CellRange mine = thinning.kept_of(last);
  EXPECT_EQ(mine.first + mine.size, thinning.kept);
  EXPECT_GE(thinning.cell(mine.first), last.first);
  EXPECT_LT(thinning.cell(mine.first - 1), last.first);
}

TEST(FixedPointUnit, is_the_least_power_of_two_at_or_above_the_bound) {
  for (const double bound :
       {1e-200, 3e-100, 0.3, 0.5, 0.7, 1.0, std::nextafter(1.0, 2.0), 1.1, 1e10, 1e200}) {
    const FixedPoint fixed(bound);
    int exponent = 0;
    EXPECT_EQ(std::frexp(fixed.unit(), &exponent), 0.5) << bound;
    EXPECT_EQ(fixed.unit() * fixed.units_per_one(), 1.0) << bound;
    EXPECT_LE(bound, std::ldexp(fixed.unit(), 62)) << bound;
    EXPECT_GT(bound, std::ldexp(fixed.unit(), 61)) << bound;
    EXPECT_EQ(fixed.value(std::llrint(-0.3125 * bound * fixed.units_per_one())), -0.3125 * bound);
  }
  for (const double bound : {0.0, -1.0, 9e-201, 1.1e200, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(FixedPoint{bound}, base::UserError) << bound;
  }
}

}  // namespace masing::test_partition
