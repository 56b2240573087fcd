// The PETSc Vec of cells, split at block limits, and the gathering of ranges of it.

#include "parallel/vector.hpp"

#include <gtest/gtest.h>
#include <petscvec.h>

#include <algorithm>
#include <numeric>

#include "parallel/communicator.hpp"
#include "support/world.hpp"

namespace masing::test_vector {

using parallel::Vector;
using support::world;

/// A vector whose entry i is i + offset.
Vector counting(std::int64_t cells, double offset = 0.0) {
  Vector vector(world(), cells);
  std::iota(vector.values().begin(), vector.values().end(),
            static_cast<double>(vector.range().first) + offset);
  return vector;
}

void expect_counting(std::span<const double> values, double first) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], first + static_cast<double>(i));
  }
}

class VectorOf : public testing::TestWithParam<std::int64_t> {};

TEST_P(VectorOf, cells_is_split_at_block_limits_and_keeps_what_is_written) {
  const auto expected = base::local_range(GetParam(), world().rank(), world().size());
  const Vector vector(world(), GetParam());
  EXPECT_EQ(vector.size(), GetParam());
  EXPECT_EQ(vector.range().first, expected.first);
  EXPECT_EQ(vector.values().size(), static_cast<std::size_t>(expected.size));
  EXPECT_EQ(std::ranges::count(vector.values(), 0.0), expected.size);
  const Vector counted = counting(GetParam());
  PetscReal sum = 0.0;  // Σ i = P(P - 1)/2, exact in doubles
  parallel::check_petsc(VecSum(counted.handle(), &sum));
  const auto cells = static_cast<double>(GetParam());
  EXPECT_EQ(sum, cells * (cells - 1) / 2);
}

TEST_P(VectorOf, cells_gives_any_range_to_any_rank) {
  const std::int64_t cells = GetParam();
  const std::int64_t rank = world().rank();
  const base::CellRange ranges[] = {
      {0, cells}, {cells / 3, cells / 2}, {cells - 1, 1}, {0, rank == 0 ? cells : 0}};
  const Vector source = counting(cells);
  const Vector other = counting(cells, 0.25);
  for (const auto& range : ranges) {
    parallel::RangeGather gather(source, range);
    for (const auto& [vector, offset] : {std::pair(&source, 0.0), std::pair(&other, 0.25)}) {
      const auto values = gather(*vector);
      EXPECT_EQ(values.size(), static_cast<std::size_t>(range.size));
      expect_counting(values, static_cast<double>(range.first) + offset);
    }
  }
}

TEST(Filling, takes_more_values_than_go_at_once) {
  constexpr std::int64_t cells = 10000;
  std::vector<double> all(cells);
  std::iota(all.begin(), all.end(), 0.5);
  Vector target(world(), cells);
  const bool is_last = world().rank() == world().size() - 1;
  parallel::fill_from_ranges(target, 0,
                             is_last ? std::span<const double>(all) : std::span<const double>());
  expect_counting(target.values(), static_cast<double>(target.range().first) + 0.5);
}

INSTANTIATE_TEST_SUITE_P(Sizes, VectorOf,
                         testing::Values<std::int64_t>(1, 2, 1023, 1024, 1025, 4096, 5000));

}  // namespace masing::test_vector
