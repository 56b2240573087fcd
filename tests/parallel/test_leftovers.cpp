// Files that a signal that ends the process removes: those of the objects that live, and no others.

#include "parallel/leftovers.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "support/world.hpp"

namespace masing::test_leftovers {

TEST(Leftover, is_removed_while_the_object_lives) {
  const std::string folder = ::testing::TempDir();
  const auto path = [&](const char* name) {
    return folder + "leftover" + std::to_string(support::world().rank()) + name;
  };
  for (const char* name : {"a", "b", "c"}) {
    std::ofstream(path(name)) << "draft";
  }
  std::optional<parallel::Leftover> done(path("a"));
  const parallel::Leftover living(path("b"));
  done.reset();
  parallel::remove_leftovers();
  EXPECT_TRUE(std::filesystem::exists(path("a")));
  EXPECT_FALSE(std::filesystem::exists(path("b")));
  EXPECT_TRUE(std::filesystem::exists(path("c")));
  std::filesystem::remove(path("a"));
  std::filesystem::remove(path("c"));
}

}  // namespace masing::test_leftovers
