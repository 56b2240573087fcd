// What a restart may change: nothing that decides the result, except that a trajectory may go on
// for longer with the same step, to the bits of the run that was as long from its start.

#include "cli/printed.hpp"

#include <gtest/gtest.h>

#include "cli/given.hpp"
#include "cli/request.hpp"

namespace masing::test_continuation {

using cli::Command;
using given::Words;

const Words run{"--final-time=10", "--steps=1000", "--cells=50"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

cli::Configuration continued(const Words& before, const Words& now,
                             Command command = Command::simulate) {
  return cli::continued(given::validated(command, with(now, {"--restart=c.h5"})),
                        given::validated(command, before))
      .configuration;
}

std::string refusal(const Words& before, const Words& now, Command command = Command::simulate) {
  return given::mistake([&] { continued(before, now, command); });
}

using given::expect_says;

TEST(Continued, takes_the_same_configuration) {
  EXPECT_EQ(refusal(run, run), "");
  EXPECT_EQ(refusal(run, with(run, {"--quiet", "--output=other.h5", "--checkpoint=d.h5",
                                    "--checkpoint-every=7", "--wall-limit=60"})),
            "");
}

TEST(Continued, names_every_key_that_differs) {
  const std::string message =
      refusal(run, {"--final-time=10", "--steps=1000", "--cells=51", "--k0=0.25", "--energy"});
  expect_says(message, {"restart: c.h5", "cells (was 50, is 51)", "k0 (was 0", "is 0.25)", "energy",
                        "same"});
  EXPECT_EQ(message.find("steps ("), std::string::npos) << message;
  expect_says(refusal(run, with(run, {"--stiffness=1+s"})), {"stiffness (was 1, is 1+s)"});
  expect_says(refusal(run, with(run, {"--scheme=leapfrog"})), {"scheme (was euler, is leapfrog)"});
}

TEST(Continued, cuts_long_values_short) {
  const std::string message = refusal(run, with(run, {"--force=0" + std::string(1000, ' ') + "+1" +
                                                      std::string(1000, ' ') + "+2"}));
  expect_says(message, {"force (was "});
  EXPECT_LT(message.size(), 500U);
}

TEST(Continued, may_be_longer_with_the_same_step_only) {
  EXPECT_EQ(refusal(run, {"--final-time=15", "--steps=1500", "--cells=50"}), "");
  expect_says(refusal(run, {"--final-time=15", "--steps=1499", "--cells=50"}),
              {"final-time (was 10, is 15)", "steps (was 1000, is 1499)"});
  expect_says(refusal(run, {"--final-time=15", "--steps=1000", "--cells=50"}), {"final-time"});
  expect_says(refusal(run, {"--final-time=10", "--steps=2000", "--cells=50"}), {"steps"});
  expect_says(refusal(run, {"--final-time=5", "--steps=500", "--cells=50"}), {"final-time"});
  expect_says(refusal(run, {"--final-time=15", "--steps=1500", "--cells=51"}), {"cells"});
}

// 0.3/300 and 0.1/100 are the same number, but p·0.3/300 and p·0.1/100 are not for every p: the
// result would not be that of any configuration.
TEST(Continued, is_not_longer_where_times_would_move_by_a_rounding) {
  const Words before{"--final-time=0.1", "--steps=100", "--cells=50"};
  EXPECT_EQ(refusal(before, {"--final-time=0.2", "--steps=200", "--cells=50"}), "");
  expect_says(refusal(before, {"--final-time=0.3", "--steps=300", "--cells=50"}),
              {"final-time (was 0.1, is 0.3)"});
}

TEST(Continued, keeps_a_study_as_it_is) {
  const Words study{"--final-time=10", "--levels=100,200", "--cells=50"};
  EXPECT_EQ(refusal(study, study, Command::converge), "");
  expect_says(
      refusal(study, {"--final-time=20", "--levels=200,400", "--cells=50"}, Command::converge),
      {"final-time", "levels"});
}

TEST(Continued, keeps_the_distance_of_samples_that_is_left_open) {
  const Words longer{"--final-time=20", "--steps=2000", "--cells=50"};
  const auto before = given::configuration(Command::simulate, with(run, {"--sample-every=7"}));
  EXPECT_EQ(continued(with(run, {"--sample-every=7"}), longer).sample_every, before.sample_every);
  EXPECT_EQ(continued(run, longer).sample_every,
            given::configuration(Command::simulate, run).sample_every);
  expect_says(refusal(with(run, {"--sample-every=7"}), with(longer, {"--sample-every=8"})),
              {"sample-every (was 7, is 8)"});
}

TEST(Continued, keeps_a_window_that_was_given) {
  const Words longer{"--final-time=20", "--steps=2000", "--cells=50"};
  EXPECT_EQ(*continued(run, longer).to, 20.0);
  expect_says(refusal(with(run, {"--to=5"}), longer), {"to (was 5, is 20)"});
  EXPECT_EQ(refusal(with(run, {"--to=5"}), with(longer, {"--to=5"})), "");
}

TEST(Checkpoint, is_no_file_that_the_run_writes_itself) {
  for (const std::string file : {"run.h5", "run.h5.partial", "run.h5.lock"}) {
    expect_says(given::refusal(Command::simulate, {"--output=run.h5", "--checkpoint=" + file}),
                {"--checkpoint", file});
  }
}

TEST(Checkpoint, is_beside_the_output_if_not_given) {
  const auto path = [](const Words& words) {
    return cli::simulation(given::validated(Command::simulate, words), "").checkpoint.path;
  };
  EXPECT_EQ(path({"--output=there/run.h5"}), "there/run.h5.checkpoint");
  EXPECT_EQ(path({"--output=there/run.h5", "--checkpoint=c.h5"}), "c.h5");
}

}  // namespace masing::test_continuation
