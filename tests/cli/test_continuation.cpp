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
const Words longer{"--final-time=20", "--steps=2000", "--cells=50"};

cli::BoundRequest continued(const Words& before, const Words& now,
                            Command command = Command::simulate) {
  const cli::BoundRequest old = given::bind(command, before);
  const given::Files file{{"c.h5", cli::printed(old, cli::Role::result)}};
  return cli::continued(given::bind(command, given::joined(now, {"--restart=c.h5"})),
                        cli::parse(command, {"--config=c.h5"}, {.text = given::reader(file)}),
                        base::split(old.derived, ','));
}

std::string refusal(const Words& before, const Words& now, Command command = Command::simulate) {
  return given::mistake([&] { continued(before, now, command); });
}

/// A request that would go on with another, and what is said of it; nothing where it may.
struct Continuation {
  std::string before;
  std::string now;
  Words said;
};

void expect_said(Command command, const std::vector<Continuation>& all) {
  for (const auto& [before, now, said] : all) {
    SCOPED_TRACE(now);
    const std::string message = refusal(given::words(before), given::words(now), command);
    EXPECT_EQ(message.empty(), said.empty()) << message;
    given::expect_says(message, said);
  }
}

TEST(Continued, takes_the_same_or_a_longer_run_and_names_what_differs) {
  const std::string ten = "--final-time=10 --steps=1000 --cells=50";
  const std::string tenth = "--final-time=0.1 --steps=100 --cells=50";
  const std::string twenty = "--final-time=20 --steps=2000 --cells=50";
  expect_said(
      Command::simulate,
      {{ten, ten, {}},
       {ten,
        ten + " --quiet --output=b.h5 --checkpoint=d.h5 --checkpoint-every=7 --wall-limit=60",
        {}},
       {ten,
        "--final-time=10 --steps=1000 --cells=51 --k0=0.25 --energy",
        {"restart: c.h5", "cells (was 50, is 51)", "k0 (was 0", "is 0.25)", "energy", "same"}},
       {ten, ten + " --stiffness=1+s", {"stiffness (was 1, is 1+s)"}},
       {ten, ten + " --scheme=leapfrog", {"scheme (was euler, is leapfrog)"}},
       // longer with the same step only
       {ten, "--final-time=15 --steps=1500 --cells=50", {}},
       {ten,
        "--final-time=15 --steps=1499 --cells=50",
        {"final-time (was 10, is 15)", "steps (was 1000, is 1499)"}},
       {ten, "--final-time=15 --steps=1000 --cells=50", {"final-time"}},
       {ten, "--final-time=10 --steps=2000 --cells=50", {"steps"}},
       {ten, "--final-time=5 --steps=500 --cells=50", {"final-time"}},
       {ten, "--final-time=15 --steps=1500 --cells=51", {"cells"}},
       // 0.3/300 and 0.1/100 are the same number, but p·0.3/300 and p·0.1/100 are not for every p:
       // the result would not be that of any configuration.
       {tenth, "--final-time=0.2 --steps=200 --cells=50", {}},
       {tenth, "--final-time=0.3 --steps=300 --cells=50", {"final-time (was 0.1, is 0.3)"}},
       // samples and windows as given
       {ten + " --sample-every=7", twenty + " --sample-every=8", {"sample-every (was 7, is 8)"}},
       {ten + " --to=5", twenty, {"to (was 5, is 20)"}},
       {ten + " --to=5", twenty + " --to=5", {}}});
  const std::string study = "--final-time=10 --levels=100,200 --cells=50";
  expect_said(Command::converge,
              {{study, study, {}},
               {study, "--final-time=20 --levels=200,400 --cells=50", {"final-time", "levels"}}});
}

TEST(Continued, names_no_key_that_is_the_same_and_cuts_long_values_short) {
  EXPECT_EQ(refusal(run, given::joined(run, {"--k0=1"})).find("steps ("), std::string::npos);
  const std::string blanks(1000, ' ');
  const std::string message =
      refusal(run, given::joined(run, {"--force=0" + blanks + "+1" + blanks + "+2"}));
  given::expect_says(message, {"force (was "});
  EXPECT_LT(message.size(), 500U);
}

TEST(Continued, keeps_the_samples_that_are_left_open) {
  const Words seven = given::joined(run, {"--sample-every=7"});
  EXPECT_EQ(continued(seven, longer).configuration.sample_every, 7);
  EXPECT_EQ(continued(run, longer).configuration.sample_every,
            given::configuration(Command::simulate, run).sample_every);
  EXPECT_EQ(*continued(run, longer).configuration.to, 20.0);
}

TEST(Continued, derives_what_followed_unless_the_run_is_extended) {
  const auto derived = [](const Words& before, const Words& now) {
    return continued(before, now).derived;
  };
  const std::string all = given::bind(Command::simulate, run).derived;
  EXPECT_EQ(derived(run, run), all);
  EXPECT_EQ(derived(run, longer), all) << "the samples would be the same";
  const Words model{"--model=discrete-masing", "--set=k=1,2", "--set=eta=1", "--final-time=10",
                    "--steps=20000"};
  Words longer_model = model;
  longer_model[3] = "--final-time=20";
  longer_model[4] = "--steps=40000";
  const cli::Configuration c = continued(model, longer_model).configuration;
  EXPECT_EQ(c.sample_every, 2);
  EXPECT_EQ(c.field_every, 2);
  EXPECT_EQ(derived(model, longer_model), "force,from,to,model.n");
  const Words places{"--cells=inf", "--field-points=50", "--final-time=10", "--steps=1000"};
  EXPECT_EQ(continued(places, {"--cells=inf", "--final-time=10", "--steps=1000"})
                .configuration.field_points,
            50);
}

TEST(Checkpoint, is_no_file_that_the_run_writes_itself) {
  for (const std::string file : {"run.h5", "run.h5.partial", "run.h5.lock"}) {
    const cli::Configuration c =
        given::configuration(Command::simulate, {"--output=run.h5", "--checkpoint=" + file});
    given::expect_says(given::mistake([&] { cli::require_files_apart(c, {}); }),
                       {"checkpoint", file});
  }
}

TEST(Checkpoint, is_beside_the_output_and_scheduled_if_it_or_a_distance_is_given) {
  const auto spec = [](const Words& words) {
    return cli::simulation(given::bind(Command::simulate, words), "").files.checkpoint;
  };
  EXPECT_EQ(spec({"--output=there/run.h5"}).path, "there/run.h5.checkpoint");
  EXPECT_FALSE(spec({"--output=there/run.h5"}).scheduled);
  EXPECT_EQ(spec({"--output=there/run.h5", "--checkpoint=c.h5"}).path, "c.h5");
  EXPECT_TRUE(spec({"--checkpoint=c.h5"}).scheduled);
  EXPECT_TRUE(spec({"--checkpoint-every=7"}).scheduled);
}

}  // namespace masing::test_continuation
