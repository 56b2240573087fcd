// When checkpoints are due: at multiples of their distance, and at the last step.
#include "io/checkpoint.hpp"

#include <gtest/gtest.h>

namespace masing::test_checkpoint {

TEST(Checkpoints, are_due_at_every_multiple_and_at_the_end) {
  const io::CheckpointSpec every_30{.path = "c.h5", .scheduled = true, .every = 30};
  EXPECT_EQ(io::next_checkpoint(every_30, 100, 0), 30);
  EXPECT_EQ(io::next_checkpoint(every_30, 100, 29), 30);
  EXPECT_EQ(io::next_checkpoint(every_30, 100, 30), 60);
  EXPECT_EQ(io::next_checkpoint(every_30, 100, 90), 100);
  EXPECT_EQ(io::next_checkpoint(every_30, 100, 100), engine::never);
}

TEST(Checkpoints, are_due_at_the_end_or_never_otherwise) {
  EXPECT_EQ(io::next_checkpoint({.path = "c.h5", .scheduled = true}, 100, 7), 100);
  EXPECT_EQ(io::next_checkpoint({.path = "c.h5"}, 100, 7), engine::never);
}

}  // namespace masing::test_checkpoint
