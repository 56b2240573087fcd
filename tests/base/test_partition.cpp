// Blocks of 1024 cells at multiples of 1024 in the global index, whole on one rank, dealt as evenly
// as blocks allow: the condition under which a sum over blocks does not depend on the ranks. Which
// of the cells go to a file.

#include "base/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace masing::test_partition {

using base::block_cells;
using base::CellRange;
using base::local_range;
using base::Thinning;

constexpr std::int64_t two_to_31 = std::int64_t{1} << 31;
constexpr std::int64_t two_to_40 = std::int64_t{1} << 40;
constexpr std::int64_t two_to_53 = std::int64_t{1} << 53;

/// Every cell once, in order; whole blocks; as many on each rank, but for one.
TEST(Partition, deals_whole_blocks_as_evenly_as_they_allow) {
  for (const std::int64_t cells :
       {std::int64_t{1}, std::int64_t{2}, std::int64_t{1023}, std::int64_t{1024},
        std::int64_t{1025}, std::int64_t{2048}, std::int64_t{5000}, std::int64_t{1000000},
        two_to_31 - 1, two_to_31, two_to_31 + 1, two_to_40 + 1, two_to_53}) {
    for (const int ranks : {1, 2, 3, 4, 7, 64, 1000, 100000}) {
      SCOPED_TRACE(testing::Message() << cells << " cells on " << ranks);
      std::int64_t next = 0;
      std::int64_t fewest = two_to_53;
      std::int64_t most = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const CellRange slab = local_range(cells, rank, ranks);
        ASSERT_EQ(slab.first, next) << "rank " << rank;
        ASSERT_GE(slab.size, 0) << "rank " << rank;
        next += slab.size;
        ASSERT_TRUE(next % block_cells == 0 || next == cells) << "rank " << rank;
        const std::int64_t blocks = (slab.size + block_cells - 1) / block_cells;
        fewest = std::min(fewest, blocks);
        most = std::max(most, blocks);
      }
      EXPECT_EQ(next, cells);
      EXPECT_LE(most - fewest, 1);
    }
  }
}

TEST(PartitionByHand, gives_left_over_blocks_to_the_first_ranks) {
  struct Case {
    std::int64_t cells;
    int rank;
    int ranks;
    std::int64_t first;
    std::int64_t size;
  };
  // 5000 cells are 4 blocks of 1024 and one of 904; 2^41 are 2^31 blocks, 715827882 · 3 + 2.
  for (const auto& [cells, rank, ranks, first, size] :
       {Case{5000, 0, 3, 0, 2048},
        {5000, 1, 3, 2048, 2048},
        {5000, 2, 3, 4096, 904},
        {1, 0, 4, 0, 1},
        {1, 1, 4, 1, 0},
        {1, 3, 4, 1, 0},
        {two_to_40 * 2, 2, 3, std::int64_t{2} * 715827883 * 1024,
         std::int64_t{715827882} * 1024}}) {
    EXPECT_EQ(local_range(cells, rank, ranks).first, first) << cells << ", rank " << rank;
    EXPECT_EQ(local_range(cells, rank, ranks).size, size) << cells << ", rank " << rank;
  }
}

/// 50,000 blocks on 10^5 ranks: one each for the first half; 150,000: two and one.
TEST(PartitionByHand, deals_blocks_to_a_hundred_thousand_ranks) {
  constexpr int ranks = 100000;
  for (const int rank : {0, 1, 49999, 50000, 50001, 99999}) {
    SCOPED_TRACE(rank);
    const CellRange few = local_range(std::int64_t{50000} * 1024, rank, ranks);
    EXPECT_EQ(few.first, std::min(rank, 50000) * std::int64_t{1024});
    EXPECT_EQ(few.size, rank < 50000 ? 1024 : 0);
    const CellRange many = local_range(std::int64_t{150000} * 1024, rank, ranks);
    EXPECT_EQ(many.first, (rank + std::min(rank, 50000)) * std::int64_t{1024});
    EXPECT_EQ(many.size, rank < 50000 ? 2048 : 1024);
  }
  // 2^53 cells are 2^43 blocks, 87960930 · 100000 + 22208: no product exceeds 64 bits.
  EXPECT_EQ(local_range(two_to_53, 22207, ranks).size, std::int64_t{87960931} * 1024);
  EXPECT_EQ(local_range(two_to_53, 22208, ranks).size, std::int64_t{87960930} * 1024);
  const CellRange last = local_range(two_to_53, ranks - 1, ranks);
  EXPECT_EQ(last.first + last.size, two_to_53);
}

TEST(Ratio, is_exact_beyond_64_bits) {
  EXPECT_EQ(base::floor_of_ratio(7, 5, 4), 8);
  EXPECT_EQ(base::ceil_of_ratio(7, 5, 4), 9);
  EXPECT_EQ(base::ceil_of_ratio(7, 4, 4), 7);
  EXPECT_EQ(base::ceil_of_ratio(0, 4, 7), 0);
  EXPECT_EQ(base::floor_of_ratio(two_to_40 - 1, two_to_40, two_to_40), two_to_40 - 1);
  EXPECT_EQ(base::ceil_of_ratio(two_to_40, two_to_40 + 1, two_to_40), two_to_40 + 1);
  EXPECT_EQ(base::floor_of_ratio(two_to_53 - 1, two_to_53 - 1, two_to_53), two_to_53 - 2);
  EXPECT_EQ(base::ceil_of_ratio(two_to_53 - 1, two_to_53 - 1, two_to_53), two_to_53 - 1);
}

TEST(Thinning, keeps_the_cells_in_the_middle_of_equal_parts) {
  const Thinning three{.cells = 10, .kept = 3};
  EXPECT_EQ(three.cell(0), 1);  // 10/6
  EXPECT_EQ(three.cell(1), 5);  // 30/6
  EXPECT_EQ(three.cell(2), 8);  // 50/6
  for (std::int64_t j = 0; j < 10; ++j) {
    EXPECT_EQ((Thinning{.cells = 10, .kept = 10}.cell(j)), j);
  }
}

/// Every kept cell lies on the one rank whose range of cells holds it.
TEST(Thinning, gives_each_kept_cell_to_the_rank_that_holds_it) {
  for (const std::int64_t cells : {1, 1024, 1025, 5000, 10007}) {
    for (const std::int64_t kept : {std::int64_t{1}, cells / 3 + 1, cells}) {
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
}

TEST(Thinning, counts_beyond_64_bits) {
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

}  // namespace masing::test_partition
