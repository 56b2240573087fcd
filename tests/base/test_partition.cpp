// Blocks of 1024 cells at multiples of 1024 in the global index, whole on one rank, dealt as evenly
// as blocks allow: the condition under which a sum over blocks does not depend on the ranks.

#include "base/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace masing::test_partition {

using base::block_cells;
using base::CellRange;
using base::local_range;

constexpr std::int64_t two_to_31 = std::int64_t{1} << 31;
constexpr std::int64_t two_to_40 = std::int64_t{1} << 40;
constexpr std::int64_t two_to_53 = std::int64_t{1} << 53;

class Partition : public testing::TestWithParam<std::tuple<std::int64_t, int>> {
 protected:
  const std::int64_t cells_ = std::get<0>(GetParam());
  const int ranks_ = std::get<1>(GetParam());
};

TEST_P(Partition, covers_every_cell_once_in_order) {
  std::int64_t next = 0;
  for (int rank = 0; rank < ranks_; ++rank) {
    const CellRange slab = local_range(cells_, rank, ranks_);
    ASSERT_EQ(slab.first, next) << "rank " << rank;
    ASSERT_GE(slab.size, 0) << "rank " << rank;
    next += slab.size;
  }
  EXPECT_EQ(next, cells_);
}

TEST_P(Partition, keeps_blocks_whole) {
  for (int rank = 0; rank < ranks_; ++rank) {
    const CellRange slab = local_range(cells_, rank, ranks_);
    const std::int64_t end = slab.first + slab.size;
    EXPECT_TRUE(slab.first % block_cells == 0 || slab.first == cells_) << "rank " << rank;
    EXPECT_TRUE(end % block_cells == 0 || end == cells_) << "rank " << rank;
  }
}

TEST_P(Partition, is_as_even_as_blocks_allow) {
  const auto blocks = [](const CellRange& slab) {
    return (slab.size + block_cells - 1) / block_cells;
  };
  std::int64_t fewest = two_to_53;
  std::int64_t most = 0;
  for (int rank = 0; rank < ranks_; ++rank) {
    const std::int64_t mine = blocks(local_range(cells_, rank, ranks_));
    fewest = std::min(fewest, mine);
    most = std::max(most, mine);
  }
  EXPECT_LE(most - fewest, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, Partition,
    testing::Combine(testing::Values<std::int64_t>(1, 2, 1023, 1024, 1025, 2048, 5000, 1000000,
                                                   two_to_31 - 1, two_to_31, two_to_31 + 1,
                                                   two_to_40 + 1, two_to_53),
                     testing::Values(1, 2, 3, 4, 7, 64, 1000)));

TEST(PartitionByHand, gives_left_over_blocks_to_the_first_ranks) {
  // 5000 cells are 4 blocks of 1024 and one of 904.
  EXPECT_EQ(local_range(5000, 0, 3).size, 2048);
  EXPECT_EQ(local_range(5000, 1, 3).first, 2048);
  EXPECT_EQ(local_range(5000, 1, 3).size, 2048);
  EXPECT_EQ(local_range(5000, 2, 3).first, 4096);
  EXPECT_EQ(local_range(5000, 2, 3).size, 904);
}

TEST(PartitionByHand, leaves_ranks_without_a_block_empty) {
  EXPECT_EQ(local_range(1, 0, 4).size, 1);
  for (int rank = 1; rank < 4; ++rank) {
    EXPECT_EQ(local_range(1, rank, 4).size, 0);
  }
}

TEST(PartitionByHand, counts_beyond_32_bits) {
  // 2^41 cells on 3 ranks: 2^31 blocks, 715827882 · 3 + 2.
  const CellRange last = local_range(two_to_40 * 2, 2, 3);
  EXPECT_EQ(last.first, std::int64_t{2} * 715827883 * 1024);
  EXPECT_EQ(last.size, std::int64_t{715827882} * 1024);
}

}  // namespace masing::test_partition
