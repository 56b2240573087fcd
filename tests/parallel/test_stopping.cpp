// A stop request to any rank reaches the root by one message, and none is left: they are counted by
// functions in place of MPI's own.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "parallel/stop.hpp"
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

/// Whether a rank is among those whose bits `senders` has.
bool is_among(int senders, int rank = world().rank()) {
  return (senders >> rank & 1) != 0;
}

/// A request that is withdrawn at the end of a test, and the messages that it takes.
class Stop : public testing::Test {
 protected:
  Stop() { forget(); }
  ~Stop() override { forget(); }
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  /// The messages of all ranks since the last call, received once it is forgotten: sent, received.
  static std::array<std::int64_t, 2> forget() {
    parallel::clear_stop();
    support::session().begin_call();
    EXPECT_FALSE(parallel::stop_requested());
    std::array<std::int64_t, 2> counts{sent, received};
    sent = received = 0;
    parallel::sum_over_ranks(world(), counts);
    return counts;
  }
};

TEST_F(Stop, of_any_ranks_reaches_the_root_by_a_message_of_each_other) {
  EXPECT_EQ(parallel::stop_reason(world()), "");
  for (int senders = 1; senders < 1 << std::min(world().size(), 5); ++senders) {
    if (is_among(senders)) {
      parallel::request_stop(parallel::stop_signals[world().rank() % 5].first);
    }
    for (int call = 0; call < 2; ++call) {  // it lasts until it is withdrawn
      support::session().begin_call();
      EXPECT_TRUE(parallel::stop_requested() == is_among(senders) || world().is_root());
      while (world().is_root() && !parallel::stop_requested()) {
      }
    }
    const std::string reason = parallel::stop_reason(world());
    bool is_of_sender = false;
    for (int rank = 0; rank < world().size(); ++rank) {
      const std::string by = std::string("by ") + parallel::stop_signals[rank % 5].second;
      is_of_sender = is_of_sender || (is_among(senders, rank) && reason == by);
    }
    EXPECT_TRUE(is_of_sender) << senders << ": " << reason;
    const std::int64_t others = std::popcount(static_cast<unsigned>(senders) & ~1U);
    EXPECT_EQ(forget(), (std::array{2 * others, 2 * others})) << senders;
  }
}

}  // namespace masing::test_stopping
