// What the runs of a study need together, and the schedule that fits.

#include "study/schedule.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "study/reference.hpp"
#include "support/problem.hpp"

namespace masing::test_footprint {

using study::Job;
using study::Placement;

Job job(std::int64_t cells, std::int64_t field_samples) {
  return {.run = {engine::Masing{.slab = {.space = support::space_of(cells)}}, {}, {500.0, 1000}},
          .field_samples = field_samples,
          .keep_functions = cells == 0};
}

constexpr std::int64_t cells = std::int64_t{1024} * 1024;

TEST(LeastNeeds, count_the_fields_of_all_runs_of_a_rank) {
  const std::vector<Job> jobs{job(cells, 10), job(2 * cells, 10)};
  // Together on both ranks: each keeps 10 fields of half of 3 cells.
  auto needs = study::least_needs(jobs, {{1, 0, 2}, {0, 0, 2}}, 2);
  EXPECT_EQ(needs[0].fields, 80.0 * 1.5 * cells);
  EXPECT_EQ(needs[1].fields, 80.0 * 1.5 * cells);
  EXPECT_EQ(engine::bytes_a_rank(needs[0]), 8.0 * cells + 80.0 * 1.5 * cells);
  // Apart: the larger run's rank keeps all its fields, and takes its part of one run's anew.
  needs = study::least_needs(jobs, {{1, 0, 1}, {0, 1, 1}}, 2);
  EXPECT_EQ(needs[0].fields, 80.0 * 2 * cells + 80.0 * cells);
  EXPECT_EQ(needs[1].fields, 80.0 * cells + 80.0 * cells);
}

TEST(LeastNeeds, of_the_continuum_have_no_fields) {
  const std::vector<Job> jobs{job(0, 10)};
  EXPECT_EQ(study::least_needs(jobs, {{0, 0, 1}}, 1)[0].fields, 0.0);
}

TEST(LeastNeeds, count_the_motion_that_is_kept_split_over_ranks) {
  Job one = job(cells, 1);
  one.motion = {study::SampleTimes(999), study::SampleTimes(99)};
  Job other = job(0, 1);
  other.motion = {study::SampleTimes(999)};
  // 16 bytes a time on both ranks; apart, one rank has all of a run and half of one anew.
  auto needs = study::least_needs({one, other}, {{0, 0, 2}, {1, 0, 2}}, 2);
  EXPECT_EQ(needs[0].motion, 16.0 * (500 + 50 + 500));
  needs = study::least_needs({one, other}, {{0, 0, 1}, {1, 1, 1}}, 2);
  EXPECT_EQ(needs[0].motion, 16.0 * (1100 + 550));
  EXPECT_EQ(needs[1].motion, 16.0 * (1000 + 550));
}

TEST(LeastNeeds, count_what_runs_in_step) {
  Job with_reference = job(cells, 200);
  with_reference.reference =
      engine::RunSpec{engine::Masing{.slab = {.space = slab::Continuum{}}}, {}, {500.0, 1000}};
  with_reference.reference->time.steps = 2000;
  // Two fields, and k, eta and u0 at an end and at the point of every cell; the field of P = inf.
  const auto needs = study::least_needs({with_reference}, {{0, 0, 1}}, 1);
  EXPECT_EQ(needs[0].fields,
            (16.0 + 2.0 * sizeof(slab::Element)) * cells + 8.0 * slab::Continuum{}.field_points);
  EXPECT_EQ(needs[0].motion, 0.0);
}

TEST(PlanText, says_the_runs_the_reference_and_what_they_take) {
  std::vector<Job> jobs{job(cells, 1)};
  jobs[0].title = "level 1 of 1";
  jobs[0].motion = {study::SampleTimes(1000)};
  const auto forecast = study::forecast(jobs, 1, 1e12);
  const auto reference = study::make_reference("finest", study::Refine::steps,
                                               {{slab::Cells{cells}, 1000}}, jobs[0].run.model);
  const std::string text = study::plan_text(jobs, *reference, forecast);
  for (const char* part :
       {"1 run, about", "of 931.3 GiB available", "N = 16\u202f000",
        "level 1 of 1: P = 1048576, N = 1000, 1.05e+09 cell updates, on 1 rank"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(FittingSchedule, takes_all_ranks_where_parts_of_them_do_not_fit) {
  const std::vector<Job> jobs{job(cells, 10), job(cells, 10)};
  const auto ranks_of_each = [&](double available) {
    std::vector<int> counts;
    for (const Placement& placement : study::fitting_schedule(jobs, 2, available)) {
      counts.push_back(placement.count);
    }
    return counts;
  };
  // Apart a rank needs 8 + 80 + 40 bytes a cell, together 4 + 80.
  EXPECT_EQ(ranks_of_each(130.0 * cells), (std::vector<int>{1, 1}));
  EXPECT_EQ(ranks_of_each(90.0 * cells), (std::vector<int>{2, 2}));
  EXPECT_THROW(ranks_of_each(80.0 * cells), base::UserError);
}

}  // namespace masing::test_footprint
