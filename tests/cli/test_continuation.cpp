// What a restart may change: nothing that decides the result, except that a trajectory may go on
// for longer with the same step, to the bits of the run that was as long from its start.

#include "cli/printed.hpp"

#include <gtest/gtest.h>

#include "cli/given.hpp"
#include "cli/request.hpp"

namespace masing::test_continuation {

using cli::Command;
using given::Words;

const std::string run = "--cells=50 --final-time=10 --steps=1000";
const std::string papers_force = " --force=0.45*cos(0.5*t)";
const std::string longer = "--cells=50 --final-time=20 --steps=2000";

cli::BoundRequest continued(const std::string& before, const std::string& now,
                            Command command = Command::simulate) {
  const cli::BoundRequest old = given::bind(command, given::words(before));
  const auto file = [&](const std::string& path) {
    return cli::IniText{path, cli::printed(old, cli::Role::result), true};
  };
  return cli::continued(given::bind(command, given::words(now + " --restart=c.h5")),
                        cli::parse(command, {"--config=c.h5"}, {.config = file}),
                        base::split(old.derived, ','));
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
    const std::string message =
        given::mistake([&, before = before, now = now] { continued(before, now, command); });
    EXPECT_EQ(message.empty(), said.empty()) << message;
    given::expect_says(message, said);
    // Only a trajectory can be extended.
    EXPECT_EQ(message.ends_with("; give the same"), command != Command::simulate && !said.empty());
  }
}

TEST(Continued, takes_the_same_or_a_longer_run_and_names_what_differs) {
  const std::string steps = "--cells=50 --final-time=15 --steps=";
  const std::string tenth = "--cells=50 --final-time=0.1 --steps=100";
  const std::string calls = " --quiet --output=b.h5 --checkpoint-every=7 --wall-limit=60";
  expect_said(
      Command::simulate,
      {{run, run, {}},
       {run, run + calls + " --checkpoint=d.h5", {}},
       {run,
        "--cells=51 --final-time=10 --steps=1000 --k0=0.25 --energy" + papers_force,
        {"restart: c.h5", "cells (was 50, is 51)", "k0 (was 0", "is 0.25)", "energy", "same"}},
       {run, run + " --stiffness=1+s" + papers_force, {"stiffness (was 1, is 1+s)"}},
       {run, run + " --scheme=leapfrog", {"scheme (was euler, is leapfrog)"}},
       // longer with the same step only
       {run, steps + "1500", {}},
       {run, steps + "1499", {"final-time (was 10, is 15)", "steps (was 1000, is 1499)"}},
       {run, steps + "1000", {"final-time"}},
       {run, "--cells=50 --final-time=10 --steps=2000", {"steps"}},
       {run, "--cells=50 --final-time=5 --steps=500", {"final-time"}},
       {run, "--cells=51 --final-time=15 --steps=1500", {"cells"}},
       // 0.3/300 and 0.1/100 are the same number, but p·0.3/300 and p·0.1/100 are not for every p:
       // the result would not be that of any configuration.
       {tenth, "--cells=50 --final-time=0.2 --steps=200", {}},
       {tenth, "--cells=50 --final-time=0.3 --steps=300", {"final-time (was 0.1, is 0.3)"}},
       // samples and windows as given
       {run + " --sample-every=7", longer + " --sample-every=8", {"sample-every (was 7, is 8)"}},
       {run + " --to=5", longer, {"to (was 5, is 20)"}},
       {run + " --to=5", longer + " --to=5", {}}});
  const std::string study = "--final-time=10 --levels=100,200 --cells=50";
  expect_said(Command::converge,
              {{study, study, {}},
               {study, "--final-time=20 --levels=200,400 --cells=50", {"final-time", "levels"}}});
  const std::string scan = "--over=k0=0.1,0.2 --force=0 --final-time=10 --steps=1000";
  expect_said(Command::scan, {{scan, scan + " --cells=7", {"cells (was 1500, is 7)"}}});
}

TEST(Continued, names_no_key_that_is_the_same_and_cuts_long_values_short) {
  const std::string digits(2000, '1');
  const std::string message = given::mistake([&] { continued(run, run + " --force=0." + digits); });
  given::expect_says(message, {"force (was "});
  EXPECT_EQ(message.find("steps ("), std::string::npos);
  EXPECT_LT(message.size(), 500U);
}

TEST(Continued, keeps_the_samples_that_are_left_open) {
  const cli::BoundRequest kept = continued(run + " --sample-every=7 --field-every=9", longer);
  EXPECT_EQ(kept.configuration.sample_every, 7);
  EXPECT_EQ(
      kept.warnings,
      Words{"--restart: the run keeps sample-every = 7, field-every = 9 of the rows that c.h5 "
            "goes on with"});
  EXPECT_EQ(continued(run + " --sample-every=7", longer + " --sample-every=7").warnings, Words());
  const cli::Configuration open = continued(run, longer).configuration;
  EXPECT_EQ(open.sample_every,
            given::configuration(Command::simulate, given::words(run)).sample_every);
  EXPECT_EQ(*open.to, 20.0);
}

TEST(Continued, derives_what_followed_unless_the_run_is_extended) {
  const auto derived = [](const std::string& before, const std::string& now) {
    return continued(before, now).derived;
  };
  const std::string all = given::bind(Command::simulate, given::words(run)).derived;
  EXPECT_EQ(derived(run, run), all);
  EXPECT_EQ(derived(run, longer), all) << "the samples would be the same";
  const std::string model =
      "--model=discrete-masing --set=k=1,2 --set=eta=1 --force=0 --final-time=";
  const cli::BoundRequest twice = continued(model + "10 --steps=20000", model + "20 --steps=40000");
  EXPECT_EQ(twice.configuration.sample_every, 2);
  EXPECT_EQ(twice.configuration.field_every, 2);
  EXPECT_EQ(twice.derived, "from,to,model.n");
  const std::string places = "--cells=inf --final-time=10 --steps=1000";
  EXPECT_EQ(continued(places + " --field-points=50", places).configuration.field_points, 50);
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
