// A stop request of one rank reaches all, and no message is left.

#include "parallel/session.hpp"

#include <gtest/gtest.h>

#include "support/world.hpp"

namespace masing::test_stopping {

using support::world;

TEST(StopNotice, is_not_received_before_it_is_sent) {
  parallel::StopNotice notice(world());
  EXPECT_EQ(notice.received(), 0);
  notice.drain();
}

TEST(StopNotice, is_received_by_all_with_its_cause) {
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
  }
}

TEST(StopNotice, may_be_sent_by_all_at_once) {
  parallel::StopNotice notice(world());
  notice.send(1 + world().rank());
  EXPECT_NE(notice.received(), 0);
  notice.drain();
}

}  // namespace masing::test_stopping
