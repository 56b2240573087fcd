// Every range of every key: a value outside is refused with a message that names the key, the value
// and what would be right; the values at the limits are taken.

#include "cli/spec.hpp"

#include <gtest/gtest.h>

#include "cli/given.hpp"

namespace masing::test_validate {

using cli::Command;
using given::Words;

TEST(Validation, refuses_values_outside_their_range) {
  given::expect_refused(
      Command::simulate,
      {
          {"--mass 0", {"--mass: ", "> 0"}},
          {"--mass -1", {"--mass: ", "> 0"}},
          {"--damping -1e-300", {"--damping: ", ">= 0"}},
          {"--k0 -1e-300", {"--k0: ", ">= 0"}},
          {"--final-time 0", {"--final-time: ", "> 0"}},
          {"--final-time -500", {"--final-time: ", "> 0"}},
          {"--steps 0", {"--steps: ", "from 1"}},
          {"--steps -7", {"--steps: ", "from 1"}},
          {"--steps 9007199254740993", {"--steps: ", "2^53"}},
          {"--cells 0", {"--cells: ", "at least 1, or inf"}},
          {"--cells -1500", {"--cells: ", "at least 1, or inf"}},
          {"--cells 9007199254740993", {"--cells: ", "2^53"}},
          {"--sample-every 0", {"--sample-every: ", "from 1"}},
          {"--field-every -1", {"--field-every: ", "from 0"}},
          {"--from -1", {"--from: ", "[0, 500]"}},
          {"--from 501", {"--from: ", "[0, 500]"}},
          {"--to 501", {"--to: ", "[0, 500]"}},
          {"--to -0.5", {"--to: ", "[0, 500]"}},
          {"--probe 0.5,1.5", {"--probe: ", "[0, 1]"}},
          {"--probe -0.1", {"--probe: ", "[0, 1]"}},
          {"--stiffness 1+", {"--stiffness: ", "position"}},
          {"--threshold s+t", {"--threshold: ", "position 3"}},
          {"--initial-u u", {"--initial-u: ", "position 1"}},
          {"--force s", {"--force: ", "position 1"}},
          {"--base-acceleration s", {"--base-acceleration: ", "position 1"}},
          {"--x0 nan", {"--x0: ", "finite"}},
          {"--final-time inf", {"--final-time: ", "finite"}},
          {"--cells inf --engine sweep", {"--engine: ", "--cells inf", "memory", "exact"}},
          {"--from 3 --to 2", {"--from: ", "--to 2"}},
          {"--config c.ini", {"c.ini line 1, output: ", "file name"}, {{"c.ini", "output =\n"}}},
          {"--stiffness table:k.csv",
           {"--stiffness: ", "k.csv line 2"},
           {{"k.csv", "0 1\n1 one\n"}}},
      });
}

TEST(Validation, refuses_studies_outside_their_range) {
  given::expect_refused(Command::converge,
                        {
                            {"--order-tolerance 0", {"--order-tolerance: ", "> 0"}},
                            {"--order-tolerance -0.1", {"--order-tolerance: ", "> 0"}},
                            {"--field-samples 0", {"--field-samples: ", "from 1"}},
                            {"--levels 100,50", {"--levels: ", "coarse to fine"}},
                            {"--levels 0,10", {"--levels: ", "from 1 to 2^53"}},
                            {"--expect-order w=1", {"--expect-order: ", "x, y, u, u_cells"}},
                            {"--expect-order one", {"--expect-order: ", "x=1"}},
                            {"--expect-order x=1,x=2", {"--expect-order: ", "x is given twice"}},
                            {"--expect-order 1,2", {"--expect-order: ", "all is given twice"}},
                            {"--refine time", {"--refine: ", "steps|cells|both"}},
                            {"--reference best", {"--reference: ", "finest|succes"}},
                            {"--engine exact", {"--engine: ", "no time step", "--reference exact"}},
                            {"--energy", {"--energy: ", "masing simulate only"}},
                        });
}

TEST(Validation, takes_the_limits) {
  for (const char* taken :
       {"--mass 1e-300", "--k0 0", "--final-time 1e-9", "--steps 1", "--cells 1",
        "--steps 9007199254740992", "--from 0", "--to 500", "--to 0", "--from 500", "--probe 0,1",
        "--field-every 0", "--sample-every 1"}) {
    EXPECT_EQ(given::refusal(Command::simulate, given::words(taken)), "") << taken;
  }
}

TEST(Validation, resolves_the_number_of_samples) {
  const auto every = [](const Words& words) {
    return given::configuration(Command::simulate, words).sample_every;
  };
  EXPECT_EQ(every({}), 100);
  EXPECT_EQ(every({"--steps", "9999"}), 1);
  EXPECT_EQ(every({"--steps", "25000"}), 2);
  EXPECT_EQ(every({"--sample-every", "3"}), 3);
  // A study samples its last level.
  const auto study = given::configuration(Command::converge, {"--levels", "100,1e6"});
  EXPECT_EQ(study.sample_every, 100);
}

TEST(Validation, puts_points_in_the_place_of_tables) {
  const auto c = given::configuration(Command::simulate, {"--threshold", "table:eta.csv"},
                                      {{"eta.csv", "0,0.1\n1,1.1\n"}});
  EXPECT_TRUE(c.threshold.text().starts_with("points:")) << c.threshold.text();
}

TEST(FieldPoints, are_all_cells_of_finite_p_unless_given) {
  const auto points = [](const given::Words& words) {
    return given::configuration(cli::Command::simulate, words).field_points;
  };
  EXPECT_EQ(points({}), 0);
  EXPECT_EQ(points({"--field-points", "50"}), 50);
  EXPECT_EQ(points({"--cells", "inf"}), slab::Continuum().field_points);
  EXPECT_EQ(points({"--cells", "inf", "--field-points", "50"}), 50);
  given::expect_refused(Command::simulate, {{"--cells inf --field-points 0", {"from 1"}},
                                            {"--field-points -1", {"from 0"}}});
}

}  // namespace masing::test_validate
