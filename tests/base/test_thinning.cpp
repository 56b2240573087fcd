// Which of P cells go to a file, and products of cell counts beyond 64 bits.

#include "base/partition.hpp"

#include <gtest/gtest.h>

namespace masing::test_thinning {

using base::Thinning;

constexpr std::int64_t two_to_40 = std::int64_t{1} << 40;
constexpr std::int64_t two_to_53 = std::int64_t{1} << 53;

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

}  // namespace masing::test_thinning
