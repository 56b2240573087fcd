// Sums once a step: those of MPI to the bit, round after round, whoever is late, over memory
// that ranks share and over MPI alike.

#include "parallel/rank_sum.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support/world.hpp"

namespace masing::test_rank_sum {

using support::world;

/// What rank `rank` brings to round `round`, entry `i`: large, of both signs.
std::int64_t term(int rank, std::int64_t round, std::size_t i) {
  constexpr std::int64_t large = 0x0123456789abcdef;
  const std::int64_t value =
      (large >> (round % 40)) + std::int64_t{7} * rank - static_cast<std::int64_t>(i);
  return round % 2 == 0 ? value : -value;
}

/// Whether the sums of `count` entries are right in so many rounds; `work` comes before each.
void expect_right(
    const parallel::Communicator& comm, parallel::RankSum& sum, std::size_t count,
    std::int64_t rounds,
    const std::function<void(std::int64_t)>& work = [](std::int64_t /*round*/) {}) {
  std::int64_t wrong = 0;
  std::vector<std::int64_t> values(count);
  for (std::int64_t round = 0; round < rounds; ++round) {
    work(round);
    std::vector<std::int64_t> expected(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = term(comm.rank(), round, i);
      for (int rank = 0; rank < comm.size(); ++rank) {
        expected[i] += term(rank, round, i);
      }
    }
    sum(values);
    wrong += values == expected ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0) << "of " << rounds << " sums of " << count << " values";
}

// Also where the tests' ranks outnumber the cores.
constexpr bool over_memory = true;

TEST(RankSum, is_exact_for_any_number_of_values) {
  for (const bool way : {over_memory, !over_memory}) {
    parallel::RankSum sum(world(), way);
    for (const std::size_t count : {0, 1, 2}) {
      expect_right(world(), sum, count, 1000);
    }
  }
}

TEST(RankSum, waits_for_whoever_is_late) {
  parallel::RankSum sum(world(), over_memory);
  expect_right(world(), sum, 2, 200, [](std::int64_t round) {
    if (round % world().size() == world().rank()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
}

TEST(RankSum, has_memory_of_its_own) {
  parallel::RankSum first(world(), over_memory);
  parallel::RankSum second(world(), over_memory);
  const parallel::Communicator self(MPI_COMM_SELF);
  parallel::RankSum alone(self, over_memory);
  for (int i = 0; i < 100; ++i) {
    expect_right(world(), first, 2, 3);
    expect_right(self, alone, 2, i);
    expect_right(world(), second, 1, 2);
  }
}

TEST(RankSum, is_of_the_ranks_of_a_part) {
  // Both halves at once, of different lengths.
  const int half = (world().size() + 1) / 2;
  const bool low = world().rank() < half;
  MPI_Comm half_of_ranks = MPI_COMM_NULL;
  parallel::check_mpi(MPI_Comm_split(world().handle(), low ? 0 : 1, 0, &half_of_ranks));
  const parallel::Communicator part(half_of_ranks);
  parallel::check_mpi(MPI_Comm_free(&half_of_ranks));
  parallel::RankSum sum(part, over_memory);
  expect_right(part, sum, 2, low ? 3000 : 1000);
}

}  // namespace masing::test_rank_sum
