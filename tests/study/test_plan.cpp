// The runs of a study and how they are compared. By hand.

#include "study/plan.hpp"

#include <gtest/gtest.h>

#include "support/options.hpp"

namespace masing::test_plan {

using study::Refine;
using study::StudyPlan;

/// A spec and its plan, by name of what is refined.
struct Planned {
  study::StudySpec spec;
  StudyPlan plan;
};

std::unique_ptr<Planned> plan_of(Refine refine, const std::string& reference,
                                 const std::string& levels, given::Options options = {}) {
  options.insert({{"final-time", "10"},
                  {"steps", "400"},
                  {"cells", "8"},
                  {"refine", study::name_of(refine)},
                  {"levels", levels},
                  {"reference", reference},
                  {"expect-order", "none"},
                  {"quiet", ""}});
  auto made = std::make_unique<Planned>(Planned{given::spec_of(options), {}});
  made->plan = study::make_plan(made->spec, nullptr, 1, 1e11);
  return made;
}

using Indices = std::vector<std::optional<std::size_t>>;

/// What each comparison is measured against.
Indices references(const StudyPlan& plan) {
  Indices found;
  for (std::size_t i = 0; i < plan.comparisons.size(); ++i) {
    found.push_back(plan.comparisons[i].reference);
  }
  return found;
}

TEST(StudyPlan, has_the_levels_first_and_the_series_of_the_last) {
  const auto made = plan_of(Refine::both, "exact", "8:100,16:200,24:400");
  const StudyPlan& plan = made->plan;
  EXPECT_EQ(plan.spec, &made->spec);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(plan.comparisons.at(i).level, i);
    EXPECT_EQ(plan.runs.at(i).run.time.steps, made->spec.levels[i].steps);
    EXPECT_EQ(study::cells_text(engine::slab_of(plan.runs[i].run)->space),
              study::cells_text(made->spec.levels[i].space));
    EXPECT_EQ(plan.runs[i].form.title, "level " + std::to_string(i + 1) + " of 3");
    EXPECT_EQ(plan.runs[i].form.series.has_value(), i == 2);
    EXPECT_FALSE(plan.runs[i].form.goes_to_times);
  }
}

/// The exact solution of a P serves all levels at that P, whatever their steps.
TEST(StudyPlan, has_one_exact_solution_for_each_number_of_cells) {
  for (const auto& [refine, reference, levels, expected] :
       {std::tuple(Refine::steps, "exact", "100,150,400", Indices{3, 3, 3}),
        {Refine::steps, "exact-time", "100,150,400", Indices{3, 3, 3}},
        {Refine::both, "exact", "8:100,16:200,24:400", Indices{3, 3, 3}},
        {Refine::both, "exact-time", "8:100,8:200,16:200", Indices{3, 3, 4}}}) {
    const auto made = plan_of(refine, reference, levels);
    const StudyPlan& plan = made->plan;
    EXPECT_EQ(references(plan), expected) << reference;
    ASSERT_EQ(plan.runs.size(), *expected.back() + 1);
    for (std::size_t i = 3; i < plan.runs.size(); ++i) {
      EXPECT_TRUE(plan.runs[i].form.goes_to_times);
      EXPECT_TRUE(engine::is_exact(plan.runs[i].run));
      EXPECT_EQ(plan.runs[i].form.has_function_field, reference == std::string("exact"));
    }
  }
}

TEST(StudyPlan, has_one_continuum_for_each_number_of_steps) {
  EXPECT_EQ(references(plan_of(Refine::cells, "cells-inf", "8,16,32")->plan), (Indices{3, 3, 3}));
  const auto made = plan_of(Refine::both, "cells-inf", "8:100,16:100,24:200");
  EXPECT_EQ(references(made->plan), (Indices{3, 3, 4}));
  ASSERT_EQ(made->plan.runs.size(), 5U);
  EXPECT_EQ(made->plan.runs[3].run.time.steps, 100);
  EXPECT_EQ(made->plan.runs[4].run.time.steps, 200);
  EXPECT_TRUE(made->plan.runs[3].form.has_function_field);
  EXPECT_FALSE(made->plan.runs[3].form.goes_to_times);
}

TEST(StudyPlan, has_one_finest_run) {
  for (const auto& [levels, steps] :
       {std::pair("100,200,400", 6400), {"996,997,1009", 16 * 1009}}) {
    const auto made = plan_of(Refine::steps, "finest", levels);
    EXPECT_EQ(references(made->plan), (Indices{3, 3, 3}));
    ASSERT_EQ(made->plan.runs.size(), 4U);
    EXPECT_EQ(made->plan.runs[3].run.time.steps, steps);
  }
}

TEST(StudyPlan, compares_successive_levels_with_the_next) {
  const auto made = plan_of(Refine::steps, "successive", "100,150,300");
  EXPECT_EQ(references(made->plan), (Indices{1, 2, std::nullopt}));
  EXPECT_EQ(made->plan.runs.size(), 3U);
}

/// Of so many cells that they differ from P = ∞ by rounding only, where the levels are so many that
/// their errors may be lost in it.
TEST(StudyPlan, measures_round_off_where_cells_are_many) {
  given::Options options{{"engine", "memory"}};
  const auto made = plan_of(Refine::cells, "cells-inf", "1000,100000000", options);
  ASSERT_EQ(made->plan.runs.size(), 4U);
  EXPECT_EQ(references(made->plan), (Indices{2, 2, 2}));
  EXPECT_EQ(made->plan.comparisons[2].level, 3U);
  EXPECT_TRUE(made->plan.runs[3].form.has_function_field);
  EXPECT_EQ(engine::field_size(made->plan.runs[3].run), std::int64_t{1} << 50);
  EXPECT_EQ(plan_of(Refine::cells, "cells-inf", "1000,100000", options)->plan.runs.size(), 3U);
  EXPECT_EQ(plan_of(Refine::cells, "successive", "1000,100000000", options)->plan.runs.size(), 2U);
}

/// From the first after t = 0; none where there is no u.
TEST(StudyPlan, compares_u_at_common_steps) {
  const auto at = [](const Planned& made) {
    return std::pair(made.plan.first_field, made.plan.field_times.count());
  };
  EXPECT_EQ(at(*plan_of(Refine::steps, "exact", "400,800")), std::pair(1L, 201L));
  EXPECT_EQ(at(*plan_of(Refine::steps, "exact", "400,800", {{"field-samples", "30"}})),
            std::pair(1L, 26L));  // 25 divides 400
  EXPECT_EQ(at(*plan_of(Refine::steps, "exact", "997,1009", {{"field-samples", "7"}})),
            std::pair(1L, 8L));
  EXPECT_EQ(at(*plan_of(Refine::steps, "exact", "997,1009",
                        {{"field-samples", "7"}, {"scheme", "leapfrog"}})),
            std::pair(1L, 2L));
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
