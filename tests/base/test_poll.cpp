// Hooks of long loops: those outside are called first, and stay when those inside are gone.

#include "base/poll.hpp"

#include <gtest/gtest.h>

#include <string>

namespace masing::test_poll {

TEST(Polling, calls_every_hook_while_it_exists) {
  std::string called;
  {
    const base::Polling outside([&called] { called += "o"; });
    {
      const base::Polling inside([&called] { called += "i"; });
      base::poll();
    }
    base::poll();
  }
  base::poll();
  EXPECT_EQ(called, "oio");
}

}  // namespace masing::test_poll
