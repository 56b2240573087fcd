// A stop request of one rank reaches all by few messages, and none is left: the tree by its edges,
// messages counted by functions in place of MPI's own.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "parallel/session.hpp"
#include "support/world.hpp"

namespace masing::test_stopping {

using support::world;

std::int64_t sent = 0;
std::int64_t received = 0;

}  // namespace masing::test_stopping

extern "C" {

int MPI_Isend(const void* values, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++masing::test_stopping::sent;
  return PMPI_Isend(values, count, type, to, tag, comm, request);
}

int MPI_Recv(void* values, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  ++masing::test_stopping::received;
  return PMPI_Recv(values, count, type, from, tag, comm, status);
}

}  // extern "C"

namespace masing::test_stopping {

/// Each rank but the root has one neighbour below it, its parent, and they know each other.
TEST(Tree, joins_any_number_of_ranks_by_few_and_short_ways) {
  std::vector<int> sizes(600);
  std::iota(sizes.begin(), sizes.end(), 1);
  sizes.insert(sizes.end(), {4680, 4681, 4682, 10000, 37449, 37450, 100000});
  for (const int size : sizes) {
    std::vector<int> depth(static_cast<std::size_t>(size), 0);
    for (int rank = 0; rank < size; ++rank) {
      const std::vector<int> mine = parallel::tree_neighbours(rank, size);
      ASSERT_LE(mine.size(), 9U);
      const auto is_below = [rank](int other) { return other < rank; };
      ASSERT_EQ(std::ranges::count_if(mine, is_below), rank > 0 ? 1 : 0) << size << ": " << rank;
      if (rank > 0) {
        const auto parent = static_cast<std::size_t>(std::ranges::min(mine));
        depth[static_cast<std::size_t>(rank)] = depth[parent] + 1;
      }
      for (const int other : mine) {
        ASSERT_LT(other, size);
        ASSERT_NE(other, rank);
        ASSERT_EQ(std::ranges::count(parallel::tree_neighbours(other, size), rank), 1)
            << size << ": " << rank << ", " << other;
      }
    }
    int least = 0;  // of a tree of eight below each
    for (std::int64_t full = 1; full < size; full = 8 * full + 1) {
      ++least;
    }
    ASSERT_EQ(std::ranges::max(depth), least) << size;
  }
}

/// Whether this rank is among those whose bits `senders` has.
bool is_among(int senders) {
  return (senders >> world().rank() & 1) != 0;
}

/// A notice that is drained at the end of a test, and the messages that it takes.
class Notice : public testing::Test {
 protected:
  /// The messages of all ranks since the last call: sent, received.
  static std::array<std::int64_t, 2> messages() {
    std::array<std::int64_t, 2> counts{sent, received};
    sent = received = 0;
    parallel::sum_over_ranks(world(), counts);
    return counts;
  }

  Notice() { messages(); }

  parallel::StopNotice notice_{world()};
  const std::int64_t all_ = std::int64_t{2} * (world().size() - 1);  // messages of a notice
};

TEST_F(Notice, is_received_by_all_with_its_cause_once_it_is_sent) {
  EXPECT_EQ(notice_.received(), 0);
  notice_.drain();
  EXPECT_EQ(messages(), (std::array<std::int64_t, 2>{0, 0}));
  for (int sender = 0; sender < world().size(); ++sender) {
    parallel::StopNotice notice(world());
    if (world().rank() == sender) {
      notice.send(10 + sender);
      notice.send(1);
    }
    while (notice.received() == 0) {
    }
    EXPECT_EQ(notice.received(), 10 + sender);
    notice.drain();
    EXPECT_EQ(notice.received(), 10 + sender);
    EXPECT_EQ(messages(), (std::array{all_, all_}));
  }
}

/// The ranks behind the root hear of each other by it alone, which waits for them meanwhile.
TEST_F(Notice, is_passed_on_by_a_rank_that_waits_for_others) {
  if (world().rank() == world().size() - 1) {
    notice_.send(7);
  }
  if (!world().is_root()) {
    while (notice_.received() == 0) {
    }
    EXPECT_EQ(notice_.received(), 7);
  }
  parallel::min_over_ranks(world(), 0);
  notice_.drain();
}

TEST_F(Notice, of_any_ranks_at_once_takes_no_more_messages) {
  for (int senders = 1; senders < 1 << std::min(world().size(), 5); ++senders) {
    for (const bool looks : {true, false}) {
      parallel::StopNotice notice(world());
      if (is_among(senders)) {
        notice.send(1 + world().rank());
      }
      const int cause = looks ? notice.received() : 0;
      notice.drain();
      EXPECT_TRUE(cause == 0 || cause == notice.received());
      EXPECT_NE(notice.received(), 0);
      EXPECT_NE(senders >> (notice.received() - 1) & 1, 0) << "of a rank that sent it";
      if (is_among(senders)) {
        EXPECT_EQ(notice.received(), 1 + world().rank()) << "the first that it knew";
      }
      EXPECT_EQ(messages(), (std::array{all_, all_})) << senders;
    }
  }
}

}  // namespace masing::test_stopping
