// Whole studies of the papers' case on a short time: order one in δt and in δs, for either
// reference, on ladders inside the asymptotic range (the error of `euler` grows like
// exp(δt ω² T/2), ω ≤ 1: δt T ≪ 1). Source: Propositions 3.1 and 4.1, continuous-masing-2001.

#include "study/refinement.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "cli/validate.hpp"
#include "study/output.hpp"
#include "support/world.hpp"

namespace masing {

namespace {

using cli::Configuration;
using cli::Reference;
using cli::Refine;
using study::Study;
using study::Verdict;
using support::world;

Configuration papers_case(Refine refine, Reference reference, const std::string& levels) {
  return {.command = cli::Command::converge,
          .final_time = 10.0,
          .steps = 500,
          .cells = 40,
          .refine = refine,
          .level_text = levels,
          .reference = reference,
          .field_samples = 50,
          .quiet = true};
}

Study run(const Configuration& configuration) {
  const Configuration valid = cli::validated(configuration, {});
  Study study = study::refine(world(), valid);
  // Rows t, x, y, F, restoring of the last level: its last time is T.
  EXPECT_EQ(study.series.size() % 5, 0U);
  EXPECT_EQ(study.series.at(study.series.size() - 5), valid.final_time);
  return study;
}

void expect_order_one(const Study& study) {
  int judged = 0;
  for (const auto& finding : study.findings) {
    if (finding.expected) {
      ++judged;
      EXPECT_NEAR(finding.observed, 1.0, 0.1) << finding.expected->quantity;
      EXPECT_EQ(finding.verdict, Verdict::as_expected) << finding.expected->quantity;
    }
  }
  EXPECT_EQ(judged, 3) << "x, y and u";
  EXPECT_EQ(study.verdict, Verdict::as_expected);
}

TEST(OrderInTime, is_one_against_the_finest_run) {
  const Study study = run(papers_case(Refine::steps, Reference::finest, "500,1000,2000"));
  expect_order_one(study);
  ASSERT_TRUE(study.reference.has_value());
  EXPECT_EQ(study.reference->cells, 40);
  EXPECT_EQ(study.reference->steps, 32000);
  ASSERT_EQ(study.cases.size(), 3U);
  EXPECT_TRUE(std::isnan(study.cases[0].orders.x));
  EXPECT_EQ(study.cases[1].dt, 10.0 / 1000);
  EXPECT_EQ(study.cases[1].ds, 1.0 / 40);
  EXPECT_GT(study.cases[0].errors.u, study.cases[2].errors.u);
}

TEST(OrderInTime, is_one_between_successive_levels) {
  const Study study = run(papers_case(Refine::steps, Reference::successive, "1000,2000,4000"));
  expect_order_one(study);
  EXPECT_FALSE(study.reference.has_value());
  EXPECT_TRUE(std::isnan(study.cases[0].orders.x));
  EXPECT_FALSE(std::isnan(study.cases[1].orders.x));
  EXPECT_TRUE(std::isnan(study.cases[2].orders.x)) << "the last level has no next";
  EXPECT_TRUE(std::isnan(study.cases[2].errors.x));
}

TEST(OrderInTime, is_one_with_uneven_ratios) {
  expect_order_one(run(papers_case(Refine::steps, Reference::finest, "600,1000,1200")));
}

TEST(OrderInSpace, is_one_against_the_finest_run) {
  const Study study = run(papers_case(Refine::cells, Reference::finest, "50,100,200"));
  expect_order_one(study);
  EXPECT_EQ(study.reference->cells, 3200);
  EXPECT_EQ(study.reference->steps, 500);
}

TEST(OrderInSpace, is_one_between_successive_levels) {
  expect_order_one(run(papers_case(Refine::cells, Reference::successive, "100,200,400")));
}

/// δs = 1/P and δt = T/N go to zero together: the bound is C(δs + δt).
TEST(OrderInBoth, is_one) {
  const Study study = run(papers_case(Refine::both, Reference::finest, "50:500,100:1000"));
  expect_order_one(study);
  EXPECT_EQ(study.reference->cells, 1600);
  EXPECT_EQ(study.reference->steps, 16000);
}

TEST(Verdict, is_of_the_expected_orders) {
  Configuration c = papers_case(Refine::steps, Reference::finest, "500,1000");
  c.expected_order_text = "x=2";
  EXPECT_EQ(run(c).verdict, Verdict::not_as_expected);
  c.expected_order_text = "x>=0.5,u>=0.5";
  EXPECT_EQ(run(c).verdict, Verdict::as_expected);
  c.expected_order_text = "x=1,y=2";
  EXPECT_EQ(run(c).verdict, Verdict::not_as_expected);
}

TEST(Verdict, is_undefined_where_there_is_no_order) {
  EXPECT_EQ(run(papers_case(Refine::steps, Reference::finest, "100")).verdict, Verdict::undefined);
  // A system at rest has no error at all.
  Configuration rest = papers_case(Refine::steps, Reference::finest, "100,200");
  rest.force = "0";
  const Study study = run(rest);
  EXPECT_EQ(study.cases[1].errors.x, 0.0);
  EXPECT_TRUE(std::isnan(study.cases[1].orders.x));
  EXPECT_EQ(study.verdict, Verdict::undefined);
}

TEST(Study, refuses_a_level_whose_cells_are_wrong) {
  Configuration c = papers_case(Refine::cells, Reference::finest, "2,4");
  c.stiffness = "s < 0.1 ? -1 : 1";  // only cells of the reference lie there
  EXPECT_THROW(run(c), base::UserError);
}

/// The same study on this rank alone has the same errors and orders, bit for bit.
TEST(Study, does_not_depend_on_the_ranks) {
  const Configuration c =
      cli::validated(papers_case(Refine::both, Reference::finest, "30:400,170:900"), {});
  const Study all = study::refine(world(), c);
  const parallel::Communicator alone = support::alone();
  const Study one = study::refine(alone, c);
  ASSERT_EQ(all.cases.size(), one.cases.size());
  for (std::size_t i = 0; i < all.cases.size(); ++i) {
    for (const auto& quantity : study::quantities) {
      EXPECT_EQ(all.cases[i].errors.*quantity.value, one.cases[i].errors.*quantity.value);
    }
  }
}

TEST(Table, has_a_row_for_each_level_and_a_line_for_each_order) {
  const Configuration c =
      cli::validated(papers_case(Refine::steps, Reference::finest, "500,1000"), {});
  const std::string text = study::table(c, study::refine(world(), c));
  for (const char* part : {" 500 ", " 1000 ", "order of x", "order of y", "order of u",
                           "expected 1 within 0.1: as expected"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

}  // namespace

}  // namespace masing
