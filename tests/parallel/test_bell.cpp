// One rank's ring comes to all, and leaves no message behind.

#include "parallel/stopping.hpp"

#include <gtest/gtest.h>

#include "support/world.hpp"

namespace masing {

namespace {

using support::world;

TEST(Bell, is_silent_until_it_is_rung) {
  parallel::Bell bell(world());
  EXPECT_FALSE(bell.heard());
  bell.silence();
}

TEST(Bell, is_heard_by_all) {
  for (int ringer = 0; ringer < world().size(); ++ringer) {
    parallel::Bell bell(world());
    if (world().rank() == ringer) {
      bell.ring();
      bell.ring();
    }
    while (!bell.heard()) {
    }
    bell.silence();
  }
}

TEST(Bell, may_be_rung_by_all_at_once) {
  parallel::Bell bell(world());
  bell.ring();
  EXPECT_TRUE(bell.heard());
  bell.silence();
}

}  // namespace

}  // namespace masing
