// The runs of a study: what runs in step with what, and at which times x and y are kept for a
// comparison. By hand.

#include "study/plan.hpp"

#include <gtest/gtest.h>

#include "support/options.hpp"

namespace masing::test_plan {

using study::Job;
using study::Refine;
using study::StudyPlan;

StudyPlan plan_of(Refine refine, const std::string& reference, const std::string& levels) {
  return study::make_plan(given::spec_of({{"final-time", "10"},
                                          {"steps", "400"},
                                          {"cells", "8"},
                                          {"refine", study::name_of(refine)},
                                          {"levels", levels},
                                          {"reference", reference},
                                          {"quiet", ""}}),
                          nullptr);
}

/// The numbers of intervals at which a run keeps x and y.
std::vector<std::int64_t> kept(const Job& job) {
  std::vector<std::int64_t> intervals;
  for (const study::SampleTimes& times : job.motion) {
    intervals.push_back(times.intervals());
  }
  return intervals;
}

using Intervals = std::vector<std::int64_t>;

TEST(StudyPlan, runs_a_reference_of_one_level_in_step_and_keeps_nothing) {
  for (const char* reference : {"exact", "exact-time"}) {
    const StudyPlan plan = plan_of(Refine::steps, reference, "400,800");
    ASSERT_EQ(plan.jobs.size(), 2U);
    for (const Job& job : plan.jobs) {
      EXPECT_TRUE(job.motion.empty());
      ASSERT_TRUE(job.reference.has_value());
      EXPECT_EQ(job.reference->time.steps, job.run.time.steps);
    }
    EXPECT_EQ(plan.references, decltype(plan.references)(2));
    EXPECT_FALSE(plan.jobs[0].series.has_value());
    EXPECT_TRUE(plan.jobs[1].series.has_value());
  }
}

TEST(StudyPlan, makes_a_reference_of_all_levels_once) {
  const StudyPlan plan = plan_of(Refine::cells, "cells-inf", "8,16,32");
  ASSERT_EQ(plan.jobs.size(), 4U);
  for (const auto& reference : plan.references) {
    EXPECT_EQ(reference, 1U);
  }
  for (const Job& job : plan.jobs) {
    EXPECT_EQ(kept(job), Intervals{400});
    EXPECT_FALSE(job.reference.has_value());
  }
}

TEST(StudyPlan, keeps_of_the_finest_run_what_levels_look_at) {
  const StudyPlan nested = plan_of(Refine::steps, "finest", "100,200,400");
  EXPECT_EQ(nested.jobs[1].run.time.steps, 6400);
  EXPECT_EQ(kept(nested.jobs[1]), Intervals{400});
  EXPECT_EQ(kept(nested.jobs[0]), Intervals{100});
  const StudyPlan others = plan_of(Refine::steps, "finest", "997,1009");
  EXPECT_EQ(others.jobs[1].run.time.steps, 16 * 1009);
  EXPECT_EQ(kept(others.jobs[1]), (Intervals{997, 1009}));
}

TEST(StudyPlan, keeps_of_successive_levels_the_steps_of_both) {
  const StudyPlan plan = plan_of(Refine::steps, "successive", "100,200,300");
  EXPECT_EQ(kept(plan.jobs[0]), Intervals{100});
  EXPECT_EQ(kept(plan.jobs[1]), Intervals{200});
  EXPECT_EQ(kept(plan.jobs[2]), Intervals{200});
  EXPECT_EQ(kept(plan_of(Refine::steps, "successive", "100,150,300").jobs[1]),
            (Intervals{150, 100}));
}

/// All times jT/m are steps of every level, where there are 16 such times or as many as wanted.
TEST(CommonSamples, are_steps_of_every_level) {
  EXPECT_EQ(study::common_samples(200, {10000, 20000}), 200);
  EXPECT_EQ(study::common_samples(200, {1000, 1500}), 125);
  EXPECT_EQ(study::common_samples(200, {120, 240}), 120);
  EXPECT_EQ(study::common_samples(200, {16, 48}), 16);
  EXPECT_EQ(study::common_samples(5, {7, 14}), 5);             // one time in common is too few
  EXPECT_EQ(study::common_samples(3, {10, 20}), 3);            // two as well
  EXPECT_EQ(study::common_samples(200, {1010, 2030}, 1), 10);  // of second order: steps alone
  EXPECT_EQ(study::common_samples(2, {10, 20}), 2);
  EXPECT_EQ(study::common_samples(200, {7, 11}), 200);
  EXPECT_EQ(study::common_samples(200, {15, 30}), 200);
  EXPECT_EQ(study::common_samples(1, {3}), 1);
}

}  // namespace masing::test_plan
