// A stop request of one rank reaches all, and no message is left.

#include "parallel/session.hpp"

#include <gtest/gtest.h>

#include "support/world.hpp"

namespace masing::test_stopping {

using support::world;

TEST(StopNotice, is_not_received_before_it_is_sent) {
  parallel::StopNotice notice(world());
  EXPECT_FALSE(notice.received());
  notice.drain();
}

TEST(StopNotice, is_received_by_all) {
  for (int sender = 0; sender < world().size(); ++sender) {
    parallel::StopNotice notice(world());
    if (world().rank() == sender) {
      notice.send();
      notice.send();
    }
    while (!notice.received()) {
    }
    notice.drain();
  }
}

TEST(StopNotice, may_be_sent_by_all_at_once) {
  parallel::StopNotice notice(world());
  notice.send();
  EXPECT_TRUE(notice.received());
  notice.drain();
}

}  // namespace masing::test_stopping
