// The error of u of a level whose u is kept as functions, at the cells where it can be largest:
// against the error over all cells, and the floor that a ladder to many cells measures.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "study/refinement.hpp"
#include "support/comparisons.hpp"
#include "support/options.hpp"
#include "support/world.hpp"

namespace masing::test_many_cells {

using given::Options;
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

/// u of all cells against P = ∞, kept as vectors or as functions.
study::Errors errors(const study::StudySpec& spec, bool keeps_functions) {
  study::StudyPlan plan = study::make_plan(spec, nullptr, 1, 1e11);
  plan.comparisons.resize(1);
  plan.runs[0].options.has_function_field = keeps_functions;
  return support::outcomes(world(), plan, {0}).at(0).errors;
}

TEST(ManyCells, have_the_error_of_u_of_all_cells) {
  for (const auto& [threshold, initial_u] : {std::pair("s+0.1", "0"),
                                             {"0.2+0.5*s^2", "0.2*sin(20*s)"},
                                             {"0.5+0.3*cos(9*s)", "0.1-0.2*s"}}) {
    for (const char* rule : {"right", "midpoint"}) {
      SCOPED_TRACE(std::string(threshold) + ", " + initial_u);
      Options c = options(threshold, initial_u);
      c["rule"] = rule;
      c["levels"] = "30000,60000";
      c["field-samples"] = "7";  // also between steps
      const study::StudySpec spec = given::spec_of(c);
      const study::Errors all = errors(spec, false);
      const study::Errors some = errors(spec, true);
      EXPECT_EQ(some[study::Errors::x], all[study::Errors::x]);
      EXPECT_GT(all[study::Errors::u], 0.0);
      // Rounding of the vectors' sums over two steps; of u over all s, η' between 4097 places.
      EXPECT_NEAR(some[study::Errors::u_cells], all[study::Errors::u_cells], 1e-14);
      EXPECT_LE(some[study::Errors::u], all[study::Errors::u] + 1e-14);
      EXPECT_NEAR(some[study::Errors::u], all[study::Errors::u], 1e-5 * all[study::Errors::u]);
    }
  }
}

TEST(ManyCells, are_measured_against_their_own_round_off) {
  // The floor is some roundings, a thousandth of the 1e-10 that is assumed of others.
  Options c = options("s+0.1", "0");
  c["levels"] = "1000,100000,1000000000,100000000000";
  const study::Study study = study::make_study(world(), given::spec_of(c));
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const double floor = study.floors[q];
    EXPECT_GT(floor, 0.0) << q;
    EXPECT_LT(floor, 1e-13 * 20) << q;
    for (std::size_t i = 1; i < study.cases.size(); ++i) {
      EXPECT_NEAR(study.cases[i].orders[q], 1.0, 0.01) << q;
    }
  }
}

TEST(ManyCells, keep_vectors_where_the_reference_has_cells) {
  Options c = options("s+0.1", "0");
  c["levels"] = "1000,4000000";
  c["reference"] = "successive";
  study::StudySpec spec = given::spec_of(c);
  for (const study::PlannedRun& planned : study::make_plan(spec, nullptr, 1, 1e11).runs) {
    EXPECT_FALSE(planned.options.has_function_field);
  }
  c["reference"] = "cells-inf";
  spec = given::spec_of(c);
  const study::StudyPlan plan = study::make_plan(spec, nullptr, 1, 1e11);
  EXPECT_FALSE(plan.runs[0].options.has_function_field);
  EXPECT_TRUE(plan.runs[1].options.has_function_field);
}

}  // namespace masing::test_many_cells
