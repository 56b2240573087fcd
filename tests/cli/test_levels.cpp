// Levels of a study and the orders expected of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cli/given.hpp"
#include "engine/chain.hpp"

namespace masing::test_levels {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

cli::Request study(const std::string& words) {
  return given::bind("converge " + words);
}

/// P and N of the levels, where 33 cells or 77 steps are held fixed.
Pairs levels(const std::string& refine, const std::string& text) {
  Pairs pairs;
  const char* const held = refine == "steps" ? " --cells=33" : " --steps=77";
  for (const auto& level : study("--refine=" + refine + (refine == "both" ? "" : held) +
                                 (text.empty() ? "" : " --levels=" + text))
                               .study.levels) {
    pairs.emplace_back(std::get<slab::Cells>(level.space).count, level.steps);
  }
  return pairs;
}

/// Lists, and geometric ladders: 10·2^j; 10·√2^j to the nearest whole number.
TEST(Levels, fill_in_what_is_held_fixed) {
  for (const auto& [refine, text, found] : {
           std::tuple("steps", "10,~20,1e3", Pairs{{33, 10}, {33, 20}, {33, 1000}}),
           // One at a time is finer, too: such a ladder tells the constants of space and time
           // apart.
           {"both", "3:10,~3:20,6:20", {{3, 10}, {3, 20}, {6, 20}}},
           {"steps", "10:40:5", {{33, 10}, {33, 14}, {33, 20}, {33, 28}, {33, 40}}},
           {"cells", "5,10:40:3", {{5, 77}, {10, 77}, {20, 77}, {40, 77}}},
           // Where rounding makes levels alike there are fewer.
           {"cells", "1:4:9", {{1, 77}, {2, 77}, {3, 77}, {4, 77}}},
           {"both", "10:100:80:800:4", {{10, 100}, {40, 100}, {40, 400}, {80, 800}}},
       }) {
    EXPECT_EQ(levels(refine, text), found) << text;
  }
  const cli::Request of_elements = study(
      "--model masing-chain --refine elements --levels 4:10:16:40:5 --set m=1/n "
      "--set k=n --set eta=1/n --force 0");
  EXPECT_EQ(engine::chain_of(*of_elements.run.model)->elements(), 4);
  EXPECT_TRUE(of_elements.warnings.empty());
  Pairs of_n;  // multiples of 2, with which n:N is the same ratio
  for (const auto& level : of_elements.study.levels) {
    of_n.emplace_back(level.elements, level.steps);
  }
  EXPECT_EQ(of_n, (Pairs{{4, 10}, {6, 15}, {8, 20}, {12, 30}, {16, 40}}));
  const std::string chain = "--model masing-chain --refine elements --levels 2:10,4:20 --set k=1 ";
  given::expect_says(study(chain + "--set m=1 --force 0").warnings.at(0), "n stands in no");
  given::expect_says(given::refusal("converge " + chain + "--set m=1,n --force 0"),
                     "m..2 values..4");
}

/// u is compared at times that are steps of every level: 125 of them here, 1/20 of the first step.
TEST(Levels, of_a_geometric_ladder_have_times_in_common) {
  const Pairs found = levels("steps", "2000:64000:40");
  ASSERT_EQ(found.size(), 40U);
  for (std::size_t l = 0; l < found.size(); ++l) {
    EXPECT_EQ(found[l].second % 125, 0);
    const double wanted = 2000 * std::pow(32.0, static_cast<double>(l) / 39);
    EXPECT_NEAR(static_cast<double>(found[l].second), wanted, l % 39 == 0 ? 1e-9 : 62.5);
  }
  // Differences begin with 12 steps: multiples of 20 leave out some, and have 20 times in common.
  const Pairs dense = levels("steps", "400:12800:120");
  EXPECT_GT(dense.size(), 100U);
  EXPECT_TRUE(std::ranges::all_of(dense, [](const auto& level) { return level.second % 20 == 0; }));
}

TEST(Levels, have_a_ladder_by_default) {
  for (const char* refine : {"steps", "cells", "both"}) {
    EXPECT_GE(levels(refine, "").size(), 3U);
  }
  const auto of_model = study("--model=prandtl --set=k=1 --set=eta=1 --force=0 --steps=800");
  EXPECT_EQ(of_model.values.text("levels"), "100,200,400,800");
}

TEST(Levels, end_with_the_one_whose_steps_the_series_has) {
  const study::StudySpec spec =
      cli::study_spec(study("--levels=100,400 --final-time=5 --sample-every=8"), "");
  EXPECT_EQ(spec.series.time.steps, 400);
  EXPECT_EQ(spec.series.every, 8);
}

TEST(Levels, badly_given_are_refused) {
  const auto expect_refused = [](const char* refine, std::initializer_list<const char*> all) {
    for (const char* text : all) {
      EXPECT_NE(given::mistake([&] { levels(refine, text); }), "") << refine << " " << text;
    }
  };
  expect_refused("steps", {"0,1", "-5", "ten", "10,,20", "10,10", "20,10", "1.5", "10:20:1",
                           "20:10:5", "10:20:5:2", "10:20:x", "30,10:20:3", "1:9:99999", "10"});
  expect_refused("both", {"10", "10:0", "0:10", "10:20,10:20", "10:20,20:10", "20:20,10:40",
                          "10:20:30", ":", "10:20:30:10:5", "10:20:5:40:5", "10:20:40:80"});
}

/// As given; else by scheme and rule, or as the catalogue says, of the errors that there are.
TEST(ExpectedOrders, are_exact_or_at_least_and_of_x_y_and_u_where_none_is_named) {
  const std::string chain = "--model=masing-chain --set=n=2 --set=m=1 --set=k=1 --levels=";
  for (const auto& [words, orders] : {
           std::pair(std::string("--expect-order=1"), "x=1 y=1 u=1 "),
           {"--expect-order=>=0.5", "x>=0.5 y>=0.5 u>=0.5 "},
           {"--expect-order=x=2,~y>=0.5,u_cells=>=1", "x=2 y>=0.5 u_cells>=1 "},
           {"--expect-order=none", ""},
           {"--scheme=leapfrog --reference=finest", "x=2 y=2 u=2 "},
           {"--refine=cells --reference=cells-inf --rule=midpoint", "x=2 y=2 u=1 u_cells=2 "},
           {"--refine=cells --reference=finest --rule=midpoint", "x=2 y=2 u=1 "},
           {"--refine=cells --reference=cells-inf --force=0 --threshold=0.1+sqrt(s)", ""},
           {"--model=friction-oscillator --set=k=1 --set=alpha=1 --force=0", "x>=0.5 y>=0.5 "},
           {"--model=prandtl --set=k=1 --set=eta=1 --force=0", "x=1 y=1 u=1 "},
           {"--model=masing-quasistatic --force=0", "x>=1 u>=1 "},
           {chain + "100,200 --reference=finest", "x=2 y=2 x_rms=2 y_rms=2 "},
       }) {
    std::string found;
    for (const auto& [quantity, order, at_least] : study(words).study.expected_orders) {
      found += quantity + (at_least ? ">=" : "=") + base::to_text(order) + " ";
    }
    EXPECT_EQ(found, orders) << words;
  }
  for (const char* bad : {"z=1", "x=", "x=one", "x=-1", "0", "x=0", "x=1,", "x>1", "nan"}) {
    EXPECT_NE(given::refusal(std::string("converge --expect-order=") + bad), "") << bad;
  }
}

}  // namespace masing::test_levels
