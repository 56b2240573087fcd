// The error of u of a level whose u is kept as functions, at the cells where it can be largest:
// against the error over all cells, and the floor that a ladder to many cells measures.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "engine/setup.hpp"
#include "engine/time_loop.hpp"
#include "study/errors.hpp"
#include "study/plan.hpp"
#include "study/refinement.hpp"
#include "support/options.hpp"
#include "support/world.hpp"

namespace masing::test_many_cells {

using given::Options;
using study::Recording;
using support::world;

Options options(const std::string& threshold, const std::string& initial_u) {
  return {{"threshold", threshold},
          {"initial-u", initial_u},
          {"final-time", "20"},
          {"steps", "1000"},
          {"k0", "0.1"},
          {"engine", "memory"},
          {"refine", "cells"},
          {"reference", "cells-inf"},
          {"levels", "100,200"}};
}

/// A run of `cells` cells, or P = ∞ for 0, recorded as a vector or as functions.
std::unique_ptr<Recording> recorded(engine::RunSpec run, std::int64_t cells, bool as_functions) {
  auto& slab = *engine::slab_of(run);
  slab.space = cells == 0 ? slab::Space(slab::Continuum{}) : slab::Space(slab::Cells{cells});
  const engine::Setup setup = engine::make_setup(world(), run);
  auto recording = std::make_unique<Recording>(
      world(), run.time, as_functions ? std::nullopt : std::optional(cells),
      std::vector{study::SampleTimes(run.time.steps)},
      study::uniform_times(run.time.steps, 7));  // also between steps
  engine::Observer* observer = recording.get();
  engine::integrate(world(), *setup.engine, run, std::span(&observer, 1));
  return recording;
}

TEST(ManyCells, have_the_error_of_u_of_all_cells) {
  for (const auto& [threshold, initial_u] : {std::pair("s+0.1", "0"),
                                             {"0.2+0.5*s^2", "0.2*sin(20*s)"},
                                             {"0.5+0.3*cos(9*s)", "0.1-0.2*s"}}) {
    for (const char* rule : {"right", "midpoint"}) {
      SCOPED_TRACE(std::string(threshold) + ", " + initial_u);
      Options c = options(threshold, initial_u);
      c["rule"] = rule;
      constexpr std::int64_t cells = 30000;
      engine::RunSpec run = given::spec_of(c).run;
      const auto limit = recorded(run, 0, true);
      const auto vectors = recorded(run, cells, false);
      const auto functions = recorded(run, cells, true);
      engine::slab_of(run)->space = slab::Cells{cells};
      const study::Errors all = study::errors(world(), run, *vectors, *limit);
      const study::Errors some = study::errors(world(), run, *functions, *limit);
      EXPECT_EQ(some.x, all.x);
      EXPECT_GT(all.u, 0.0);
      // Rounding of the vectors' sums over two steps; of u over all s, η' between 4097 places.
      EXPECT_NEAR(some.u_cells, all.u_cells, 1e-14);
      EXPECT_LE(some.u, all.u + 1e-14);
      EXPECT_NEAR(some.u, all.u, 1e-5 * all.u);
    }
  }
}

TEST(ManyCells, are_measured_against_their_own_round_off) {
  // The floor is some roundings, a thousandth of the 1e-10 that is assumed of others.
  Options c = options("s+0.1", "0");
  c["levels"] = "1000,100000,1000000000,100000000000";
  const study::Study study = study::refine(world(), given::spec_of(c));
  for (const auto& quantity : study::quantities) {
    const double floor = study.floors.*quantity.value;
    EXPECT_GT(floor, 0.0) << quantity.name;
    EXPECT_LT(floor, 1e-13 * 20) << quantity.name;
    for (std::size_t i = 1; i < study.cases.size(); ++i) {
      EXPECT_NEAR(study.cases[i].orders.*quantity.value, 1.0, 0.01) << quantity.name;
    }
  }
}

TEST(ManyCells, keep_vectors_where_the_reference_has_cells) {
  Options c = options("s+0.1", "0");
  c["levels"] = "1000,4000000";
  c["reference"] = "successive";
  for (const study::Job& job : study::make_plan(given::spec_of(c), nullptr).jobs) {
    EXPECT_FALSE(job.keep_functions);
  }
  c["reference"] = "cells-inf";
  const study::StudyPlan plan = study::make_plan(given::spec_of(c), nullptr);
  EXPECT_FALSE(plan.jobs[plan.levels[0]].keep_functions);
  EXPECT_TRUE(plan.jobs[plan.levels[1]].keep_functions);
  EXPECT_FALSE(plan.round_off);  // below most_tabled_cells
}

}  // namespace masing::test_many_cells
