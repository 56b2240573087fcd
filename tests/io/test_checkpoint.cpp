// When checkpoints are due: at multiples of their distance, and at the last step, or so long after
// the one before. What room they need.
#include "io/checkpoint.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "base/error.hpp"
#include "engine/setup.hpp"
#include "io/result_file.hpp"
#include "support/given.hpp"
#include "support/problem.hpp"
#include "support/world.hpp"

namespace masing::test_checkpoint {

using support::world;

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

engine::RunSpec run_of(std::int64_t cells, std::int64_t steps) {
  const support::Problem problem = support::problem({.steps = steps, .space = slab::Cells{cells}});
  engine::RunSpec run{
      engine::Masing{
          .slab = problem, .oscillator = problem.oscillator, .method = engine::Method::sweep},
      problem.force, problem.time};
  run.split_from = 1;  // over all ranks
  return run;
}

/// Sees when a run is saved. The first checkpoint is due at once, the next one after an hour.
class Saves final : public engine::Observer {
 public:
  explicit Saves(std::chrono::seconds& distance) : distance_(distance) {}

  void observe(const engine::Samples& /*samples*/, engine::Engine& /*engine*/) override {}
  void serialize(std::int64_t step, engine::Archive& /*archive*/) override {
    steps_.push_back(step);
    distance_ = std::chrono::hours(1);
    if (steps_.size() > 2) {
      throw std::runtime_error("saved again");  // a run that does nothing else would not end
    }
  }
  [[nodiscard]] const std::vector<std::int64_t>& steps() const { return steps_; }

 private:
  std::chrono::seconds& distance_;
  std::vector<std::int64_t> steps_;
};

TEST(Checkpoints, without_steps_are_due_so_long_after_the_one_before) {
  const engine::RunSpec run = run_of(3, 40);
  const engine::Setup setup = engine::make_setup(world(), run);
  io::Saving saving{.spec = {.path = "masing-due-n" + std::to_string(world().size()) + ".h5",
                             .scheduled = true,
                             .distance = std::chrono::seconds(0)},
                    .result = {.kind = "simulate"},
                    .participants = {}};
  Saves saves(saving.spec.distance);
  std::vector<engine::Observer*> observers{&saves};
  saving.participants = {setup.engine.get(), observers};
  engine::TimeLoop loop(world(), *setup.engine, run, observers);
  EXPECT_NO_THROW(io::integrate(world(), saving, run.time.steps, loop));
  EXPECT_EQ(saves.steps(), (std::vector<std::int64_t>{0, run.time.steps}));
  io::remove_checkpoint(world(), saving.spec.path);
}

/// One checkpoint takes two thirds of what the disk has.
TEST(Checkpoints, need_room_beside_the_one_before_which_stays_until_the_next_is_whole) {
  const std::string path = "masing-room-n" + std::to_string(world().size());
  const io::CheckpointSpec checkpoint{.path = path + ".check.h5", .scheduled = true};
  io::remove_checkpoint(world(), checkpoint.path);
  const engine::RunSpec run = run_of(static_cast<std::int64_t>(io::available_bytes(path) / 12), 1);
  const auto refusal = [&] {
    return given::mistake([&] {
      io::require_room(
          world(), run,
          {.sampling = {.time = run.time, .to = run.time.final_time}, .field_points = 1},
          path + ".h5", checkpoint);
    });
  };
  // The first one and the draft of the second.
  EXPECT_NE(refusal().find("fewer cells, or another folder"), std::string::npos) << refusal();
  parallel::on_root(world(), [&] { std::ofstream(checkpoint.path) << "the one before"; });
  EXPECT_EQ(refusal(), "");
  io::remove_checkpoint(world(), checkpoint.path);
}

}  // namespace masing::test_checkpoint
