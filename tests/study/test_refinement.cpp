// Whole studies of the papers' case on a short time: order one in δt and in δs, for either
// reference, on ladders inside the asymptotic range (the error of `euler` grows like
// exp(δt ω² T/2), ω ≤ 1: δt T ≪ 1). Source: Propositions 3.1 and 4.1, continuous-masing-2001.

#include "study/refinement.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "study/output.hpp"
#include "study/reference.hpp"
#include "support/options.hpp"
#include "support/world.hpp"

namespace masing::test_refinement {

using given::Options;
using given::spec_of;
using statistics::Verdict;
using study::Refine;
using study::Study;
using support::world;

Options papers_case(Refine refine, const std::string& reference, const std::string& levels) {
  return {{"final-time", "10"},    {"steps", "500"},
          {"cells", "40"},         {"refine", study::name_of(refine)},
          {"levels", levels},      {"reference", reference},
          {"field-samples", "50"}, {"quiet", ""}};
}

Study run(const Options& options) {
  Study study = study::refine(world(), spec_of(options));
  // Rows t, x, y, F, restoring of the last level: its last time is T.
  EXPECT_EQ(study.series.size() % 5, 0U);
  EXPECT_EQ(study.series.at(study.series.size() - 5), 10.0);
  return study;
}

void expect_order_one(const Study& study) {
  int judged = 0;
  for (const auto& finding : study.results) {
    if (finding.expected) {
      ++judged;
      EXPECT_NEAR(finding.observed, 1.0, 0.1) << finding.expected->quantity;
      EXPECT_EQ(finding.verdict, Verdict::as_expected) << finding.expected->quantity;
    }
  }
  EXPECT_EQ(judged, 3) << "x, y and u";
  EXPECT_EQ(study.verdict, Verdict::as_expected);
}

void expect_finest(const Options& options, std::int64_t cells, std::int64_t steps) {
  const auto finest = spec_of(options).reference.finest;
  ASSERT_TRUE(finest.has_value());
  EXPECT_EQ(std::get<slab::Cells>(finest->space).count, cells);
  EXPECT_EQ(finest->steps, steps);
}

TEST(OrderInTime, is_one_against_the_finest_run) {
  const Options c = papers_case(Refine::steps, "finest", "500,1000,2000");
  const Study study = run(c);
  expect_order_one(study);
  expect_finest(c, 40, 32000);
  ASSERT_EQ(study.cases.size(), 3U);
  EXPECT_TRUE(std::isnan(study.cases[0].orders.x));
  EXPECT_EQ(study.cases[1].dt, 10.0 / 1000);
  EXPECT_EQ(study.cases[1].ds, 1.0 / 40);
  EXPECT_GT(study.cases[0].errors.u, study.cases[2].errors.u);
}

TEST(OrderInTime, is_one_between_successive_levels) {
  const Options c = papers_case(Refine::steps, "successive", "1000,2000,4000");
  const Study study = run(c);
  expect_order_one(study);
  EXPECT_FALSE(spec_of(c).reference.finest.has_value());
  EXPECT_TRUE(std::isnan(study.cases[0].orders.x));
  EXPECT_FALSE(std::isnan(study.cases[1].orders.x));
  EXPECT_TRUE(std::isnan(study.cases[2].orders.x)) << "the last level has no next";
  EXPECT_TRUE(std::isnan(study.cases[2].errors.x));
}

TEST(OrderInTime, is_one_with_uneven_ratios) {
  expect_order_one(run(papers_case(Refine::steps, "finest", "600,1000,1200")));
}

TEST(OrderInSpace, is_one_against_the_finest_run) {
  const Options c = papers_case(Refine::cells, "finest", "50,100,200");
  expect_order_one(run(c));
  expect_finest(c, 3200, 500);
}

TEST(OrderInSpace, is_one_between_successive_levels) {
  expect_order_one(run(papers_case(Refine::cells, "successive", "100,200,400")));
}

/// δs = 1/P and δt = T/N go to zero together: the bound is C(δs + δt).
TEST(OrderInBoth, is_one) {
  const Options c = papers_case(Refine::both, "finest", "50:500,100:1000");
  expect_order_one(run(c));
  expect_finest(c, 1600, 16000);
}

TEST(Verdict, is_of_the_expected_orders) {
  Options c = papers_case(Refine::steps, "finest", "500,1000");
  c["expect-order"] = "x=2";
  EXPECT_EQ(run(c).verdict, Verdict::not_as_expected);
  c["expect-order"] = "x>=0.5,u>=0.5";
  EXPECT_EQ(run(c).verdict, Verdict::as_expected);
  c["expect-order"] = "x=1,y=2";
  EXPECT_EQ(run(c).verdict, Verdict::not_as_expected);
}

TEST(Verdict, is_undefined_where_there_is_no_order) {
  EXPECT_EQ(run(papers_case(Refine::steps, "successive", "100,200")).verdict, Verdict::undefined);
}

/// A system at rest has no error at all, of any order.
TEST(Verdict, is_exact_where_all_errors_are_zero) {
  for (const char* reference : {"finest", "successive", "exact-time"}) {
    for (const char* expected : {"", "1", "x=2", "u>=0.5", "none"}) {
      Options rest = papers_case(Refine::steps, reference, "100,200,400");
      rest["force"] = "0";
      if (expected != std::string()) {
        rest["expect-order"] = expected;
      }
      const Study study = run(rest);
      EXPECT_EQ(study.cases[1].errors.x, 0.0);
      EXPECT_TRUE(std::isnan(study.cases[1].orders.x));
      const bool is_judged = expected != std::string("none");
      EXPECT_EQ(study.verdict, is_judged ? Verdict::exact : Verdict::not_judged) << expected;
    }
  }
}

/// k is linear and nothing yields: the sums of the rule right err by the order 1, those of the rule
/// midpoint not at all.
TEST(Verdict, is_that_of_the_quantities_that_err) {
  Options c = papers_case(Refine::cells, "cells-inf", "20,40,80,160");
  c["threshold"] = "100+s";
  c["stiffness"] = "1+s";
  c["engine"] = "memory";
  EXPECT_EQ(run(c).verdict, Verdict::as_expected);
  c["rule"] = "midpoint";
  const Study study = run(c);
  EXPECT_EQ(study.verdict, Verdict::exact);
  EXPECT_EQ(study.conclusions.remarks,
            std::vector<std::string>{"All errors of x, y, u and u at the cells’ points are on the "
                                     "round-off floor, and so of any order."});
}

TEST(Study, refuses_a_level_whose_cells_are_wrong) {
  Options c = papers_case(Refine::cells, "finest", "2,4");
  c["stiffness"] = "s < 0.1 ? -1 : 1";  // only cells of the reference lie there
  EXPECT_THROW(run(c), base::UserError);
}

TEST(Table, has_a_row_for_each_level_and_a_line_for_each_order) {
  const study::StudySpec spec = spec_of(papers_case(Refine::steps, "finest", "500,1000"));
  const std::string text = study::table(spec, study::refine(world(), spec));
  for (const char* part : {" 500 ", " 1000 ", "order of x", "order of y", "order of u",
                           "expected 1 within 0.1: as expected"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

}  // namespace masing::test_refinement
