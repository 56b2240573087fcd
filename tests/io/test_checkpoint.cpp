// When checkpoints are due: at multiples of their distance, and at the last step.
#include "io/checkpoint.hpp"

#include <gtest/gtest.h>

#include "support/world.hpp"

namespace masing::test_checkpoint {

io::Checkpoints checkpoints(const io::CheckpointSpec& spec) {
  return {support::world(), spec, {}, 100, {}, {}};
}

TEST(Checkpoints, are_due_at_every_multiple_and_at_the_end) {
  const auto every_30 = checkpoints({.path = "c.h5", .scheduled = true, .every = 30});
  EXPECT_EQ(every_30.next_step(0), 30);
  EXPECT_EQ(every_30.next_step(29), 30);
  EXPECT_EQ(every_30.next_step(30), 60);
  EXPECT_EQ(every_30.next_step(90), 100);
  EXPECT_EQ(every_30.next_step(100), engine::never);
  EXPECT_EQ(every_30.next_time(), engine::TimeLoop::Clock::time_point::max());
}

TEST(Checkpoints, are_due_by_the_clock_or_never_otherwise) {
  EXPECT_EQ(checkpoints({.path = "c.h5", .scheduled = true}).next_step(7), 100);
  EXPECT_EQ(checkpoints({.path = "c.h5"}).next_step(7), engine::never);
}

}  // namespace masing::test_checkpoint
