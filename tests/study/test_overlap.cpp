// Which cells of two partitions overlap, in whole numbers beyond 64 bits.

#include "study/errors.hpp"

#include <gtest/gtest.h>

namespace masing::test_overlap {

using slab::Rule;
using study::Overlap;

constexpr std::int64_t large = std::int64_t{1} << 40;

TEST(Overlap, of_nested_partitions_up_to_2_to_40_cells) {
  const Overlap same(Rule::right, large, large);
  for (const std::int64_t j : {std::int64_t{0}, large / 3, large - 1}) {
    EXPECT_EQ(same.first(j), j);
    EXPECT_EQ(same.last(j), j);
    EXPECT_EQ(same.holder(j), j);
  }
  const Overlap twice(Rule::midpoint, large / 2, large);
  EXPECT_EQ(twice.first(large - 1), large / 2 - 1);
  EXPECT_EQ(twice.last(large - 1), large / 2 - 1);
  EXPECT_EQ(twice.holder(large / 2 - 1), large - 2);  // the end of the cell before the last
}

TEST(Overlap, of_partitions_that_share_no_limit) {
  // P - 1 and P cells: cell j of the finer reaches over cells j - 1 and j of the coarser.
  const Overlap overlap(Rule::right, large - 1, large);
  EXPECT_EQ(overlap.first(0), 0);
  EXPECT_EQ(overlap.last(0), 0);
  for (const std::int64_t j : {std::int64_t{1}, large / 3, large - 2}) {
    EXPECT_EQ(overlap.first(j), j - 1);
    EXPECT_EQ(overlap.last(j), j);
    EXPECT_EQ(overlap.holder(j - 1), j);
  }
  EXPECT_EQ(overlap.last(large - 1), large - 2);
  EXPECT_EQ(overlap.needed({large / 3, 10}).size, 11);
}

}  // namespace masing::test_overlap
