// The room on the disk that checkpoints need.
#include "io/room.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "io/checkpoint.hpp"
#include "support/given.hpp"
#include "support/problem.hpp"
#include "support/world.hpp"

namespace masing::test_room {

using support::world;

/// One checkpoint takes two thirds of what the disk has.
TEST(Checkpoints, need_room_beside_the_one_before_which_stays_until_the_next_is_whole) {
  const std::string path = "masing-room-n" + std::to_string(world().size());
  const io::CheckpointSpec checkpoint{.path = path + ".check.h5", .scheduled = true};
  io::remove_checkpoint(world(), checkpoint.path);
  const slab::Cells cells{static_cast<std::int64_t>(io::available_bytes(path) / 12)};
  const support::Problem problem = support::problem({.space = cells});
  const engine::RunSpec run{
      engine::Masing{.slab = problem, .method = engine::Method::sweep}, {}, problem.time};
  const auto refusal = [&] {
    return given::mistake([&] {
      io::require_room(
          world(), run,
          {.sampling = {.time = run.time, .to = run.time.final_time}, .field_points = 1},
          path + ".h5", checkpoint);
    });
  };
  // The first one and the draft of the second.
  EXPECT_NE(refusal().find(" needs "), std::string::npos) << refusal();
  parallel::on_root(world(), [&] { std::ofstream(checkpoint.path) << "the one before"; });
  EXPECT_EQ(refusal(), "");
  io::remove_checkpoint(world(), checkpoint.path);
}

}  // namespace masing::test_room
