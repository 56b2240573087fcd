// A level and its reference in step give the errors of both recorded and compared, bit by bit, on
// any number of ranks, where their steps and the times of fields differ.

#include "study/in_step.hpp"

#include <gtest/gtest.h>

#include "study/plan.hpp"
#include "support/options.hpp"
#include "support/world.hpp"

namespace masing::test_in_step {

using study::Job;
using support::world;

study::StudySpec study_of(const std::string& reference, const std::string& field_samples) {
  study::StudySpec spec = given::spec_of({{"final-time", "20"},
                                          {"cells", "1030"},
                                          {"engine", "memory"},
                                          {"field-points", "100"},
                                          {"refine", "both"},
                                          {"levels", "1030:9973,2060:19946"},
                                          {"reference", reference},
                                          {"field-samples", field_samples},
                                          {"quiet", ""}});
  spec.levels.resize(1);
  return spec;
}

/// The level, what is kept of it, and its reference as jobs of their own.
std::vector<Job> apart(const Job& both) {
  Job level = both;
  level.motion = {study::SampleTimes(both.run.time.steps)};
  level.reference.reset();
  Job reference = level;
  reference.run = *both.reference;
  reference.series.reset();
  return {level, reference};
}

void expect_same(const study::StudySpec& spec) {
  std::vector<Job> jobs = study::make_plan(spec, nullptr).jobs;
  ASSERT_EQ(jobs.size(), 1U);
  ASSERT_TRUE(jobs[0].reference.has_value());
  const auto together = study::run_all(world(), spec, jobs);
  const auto alone = study::run_all(world(), spec, apart(jobs[0]));
  const study::Errors found = together[0].in_step->errors();
  const study::Errors expected =
      study::errors(world(), jobs[0].run, *alone[0].recording, *alone[1].recording);
  EXPECT_EQ(found.x, expected.x);
  EXPECT_EQ(found.y, expected.y);
  EXPECT_EQ(found.u, expected.u);
  EXPECT_EQ(found.u_cells, expected.u_cells);
  EXPECT_GT(found.x, 0.0);
  EXPECT_GT(found.u, 0.0);
  EXPECT_EQ(together[0].in_step->self_check(), alone[1].recording->self_check());
  EXPECT_EQ(together[0].recording->end().x, alone[0].recording->end().x);
  EXPECT_EQ(together[0].recording->largest().y, alone[0].recording->largest().y);
}

TEST(InStep, gives_the_errors_of_recordings) {
  for (const char* reference : {"exact", "exact-time", "cells-inf"}) {
    SCOPED_TRACE(reference);
    expect_same(study_of(reference, "7"));  // between steps
  }
}

TEST(InStep, takes_a_finer_run_of_the_same_scheme) {
  expect_same(study_of("finest", "50"));
}

}  // namespace masing::test_in_step
