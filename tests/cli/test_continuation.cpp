// What a restart may change: nothing that decides the result, except that a trajectory may go on
// for longer with the same step, to the bits of the run that was as long from its start.

#include <gtest/gtest.h>

#include "cli/given.hpp"

namespace masing::test_continuation {

const std::string run = "--cells=50 --final-time=10 --steps=1000";
const std::string longer = "--cells=50 --final-time=20 --steps=2000";

cli::Request continued(const std::string& before, const std::string& now) {
  const cli::Request old = given::bind(before);
  const std::string stored = cli::printed(old, cli::Role::result);
  return cli::continued(given::bind(now + " --restart=c.h5"),
                        cli::given_in(old.values.command(), "c.h5", stored));
}

TEST(Continued, takes_the_same_or_a_longer_run_and_names_what_differs) {
  const std::string force = " --force=0.45*cos(0.5*t)";
  const std::string steps = "--cells=50 --final-time=15 --steps=";
  const std::string tenth = "--cells=50 --final-time=0.1 --steps=100";
  const std::string study = "converge --final-time=10 --levels=100,200 --cells=50";
  const std::string of_a = "scan --over=a=0:1:5 --force=b*cos(t) --x0=a --mass=1+";
  for (const auto& [before, now, said] : {
           std::tuple(run, run, ""),
           {run, run + " --quiet --output=b.h5 --checkpoint-every=7 --wall-limit=60 --checkpoint=d",
            ""},
           {run, "--cells=51 --final-time=10 --steps=1000 --k0=0.25 --energy" + force,
            "restart: c.h5..k0 (was 0, is 0.25), cells (was 50, is 51), energy..same"},
           {run, run + " --scheme=leapfrog", "scheme (was euler, is leapfrog)"},
           // longer with the same step only
           {run, steps + "1500", ""},
           {run, steps + "1499", "final-time (was 10, is 15)..steps (was 1000, is 1499)"},
           {run, steps + "1000", "final-time"},
           {run, "--cells=50 --final-time=10 --steps=2000", "steps"},
           // 0.3/300 and 0.1/100 are the same number, but p·0.3/300 and p·0.1/100 are not for every
           // p: the result would not be that of any configuration.
           {tenth, "--cells=50 --final-time=0.2 --steps=200", ""},
           {tenth, "--cells=50 --final-time=0.3 --steps=300", "final-time (was 0.1, is 0.3)"},
           // samples and windows as given
           {run + " --sample-every=7", longer + " --sample-every=8", "sample-every (was 7, is 8)"},
           {run + " --to=5", longer, "to (was 5, is 20)"},
           {run + " --to=5", longer + " --to=5", ""},
           {study, study, ""},
           {study, "converge --final-time=20 --levels=200,400 --cells=50", "final-time..levels"},
           {of_a + "a --let=b=2*a", of_a + "a --let=b=2*a", ""},
           {of_a + "a --let=b=2*a", of_a + "2*a --let=b=3*a",
            "mass (was 1+a, is 1+2*a)..let.b (was 2*a, is 3*a)"},
       }) {
    SCOPED_TRACE(now);
    const std::string message =
        given::mistake([&, before = before, now = now] { continued(before, now); });
    EXPECT_EQ(message.empty(), *said == 0) << message;
    given::expect_says(message, said);
  }
  const std::string long_value = " --force=0." + std::string(2000, '1');
  EXPECT_LT(given::mistake([&] { continued(run, run + long_value); }).size(), 500U) << "it is cut";
}

TEST(Continued, keeps_the_samples_that_are_left_open) {
  const cli::Request kept = continued(run + " --sample-every=7 --field-every=9", longer);
  EXPECT_EQ(kept.values.count("sample-every"), 7);
  EXPECT_EQ(kept.values.count("field-every"), 9);
  const cli::Values open = continued(run, longer).values;
  EXPECT_EQ(open.count("sample-every"), given::values(run).count("sample-every"));
  EXPECT_EQ(open.real("to"), 20.0);
}

TEST(Continued, derives_what_followed_unless_the_run_is_extended) {
  const std::string all = given::bind(run).derived;
  EXPECT_EQ(continued(run, run).derived, all);
  EXPECT_EQ(continued(run, longer).derived, all) << "the samples would be the same";
  const std::string model =
      "--model=discrete-masing --set=k=1,2 --set=eta=1 --force=0 --final-time=";
  const cli::Request twice = continued(model + "10 --steps=20000", model + "20 --steps=40000");
  EXPECT_EQ(twice.values.count("sample-every"), 2);
  EXPECT_EQ(twice.values.count("field-every"), 2);
  EXPECT_EQ(twice.derived, "from,to,model.n");
  const std::string places = "--cells=inf --final-time=10 --steps=1000";
  EXPECT_EQ(continued(places + " --field-points=50", places).values.count("field-points"), 50);
}

TEST(Checkpoint, is_beside_the_output_and_scheduled_if_it_or_a_distance_is_given) {
  for (const auto& [call, path, is_scheduled] :
       {std::tuple("--output=there/run.h5", "there/run.h5.checkpoint", false),
        {"--output=there/run.h5 --checkpoint=c.h5", "c.h5", true},
        {"--output=o --checkpoint-every=7", "o.checkpoint", true}}) {
    const auto spec = cli::simulation(given::bind(call), "").files.checkpoint;
    EXPECT_EQ(spec.path, path);
    EXPECT_EQ(spec.scheduled, is_scheduled);
  }
}

}  // namespace masing::test_continuation
