// The progress line: rate and time left are those of the steps made now.

#include "io/progress.hpp"

#include <gtest/gtest.h>

namespace masing::test_progress {

TEST(Progress, counts_the_steps_made_now) {
  EXPECT_EQ(io::progress_line("t", {.first = 0, .done = 400, .all = 1000}, 2.0),
            "[############..................]  40 %  t  200 steps/s  3 s left");
  // After a restart at step 900: 50 steps in 10 s, not 950.
  EXPECT_EQ(io::progress_line("t", {.first = 900, .done = 950, .all = 1000}, 10.0),
            "[############################..]  95 %  t  5 steps/s  10 s left");
  EXPECT_EQ(io::progress_line("t", {.first = 0, .done = 1, .all = 3601}, 1.0),
            "[..............................]   0 %  t  1 steps/s  60 min left");
  EXPECT_EQ(io::progress_line("t", {.first = 5, .done = 6, .all = 7206}, 1.0),
            "[..............................]   0 %  t  1 steps/s  2.0 h left");
  EXPECT_EQ(io::progress_line("40 points", {.done = 20, .all = 40, .unit = "points"}, 10.0),
            "[###############...............]  50 %  40 points  2 points/s  10 s left");
}

}  // namespace masing::test_progress
