// Studies of the papers' case: the orders of both schemes and both rules against every reference,
// on ladders inside the asymptotic range (the error of `euler` grows like exp(δt ω² T/2), ω ≤ 1:
// δt T ≪ 1), and how a fit becomes a verdict.
// Source: Propositions 3.1 and 4.1, continuous-masing-2001.

#include "study/refinement.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "study/study_spec.hpp"
#include "support/options.hpp"
#include "support/world.hpp"

namespace masing::test_refinement {

using given::Options;
using given::spec_of;
using statistics::Mark;
using statistics::Verdict;
using study::Errors;
using study::QuantityResult;
using study::Refine;
using study::Study;
using support::world;

Study run(const Options& options) {
  Study study = study::make_study(world(), spec_of(options));
  // Rows t, x, y, F, restoring of the last level: its last time is T.
  EXPECT_EQ(study.series.size() % 5, 0U);
  EXPECT_EQ(study.series.at(study.series.size() - 5), std::stod(options.at("final-time")));
  return study;
}

/// The papers' case on [0, 30], by turning points: a step costs the same at every P. Other options
/// than these come first.
Options papers_case(Refine refine, const std::string& reference, const std::string& levels,
                    Options options = {}) {
  options.insert({{"final-time", "30"},
                  {"steps", "3000"},
                  {"cells", "40"},
                  {"engine", "memory"},
                  {"field-points", "200"},
                  {"refine", study::name_of(refine)},
                  {"levels", levels},
                  {"reference", reference},
                  {"field-samples", "50"},
                  {"quiet", ""}});
  return options;
}

/// The same on [0, 10] by sweeps.
Options short_case(Refine refine, const std::string& reference, const std::string& levels,
                   Options options = {}) {
  options.insert({{"final-time", "10"}, {"steps", "500"}, {"engine", "sweep"}});
  return papers_case(refine, reference, levels, std::move(options));
}

const QuantityResult& finding(const Study& study, const std::string& quantity) {
  std::size_t q = 0;
  while (study::quantities[q].name != quantity) {
    ++q;
  }
  return study.results.at(q);
}

const Options continuum{{"cells", "inf"}};

/// Of a fit of all levels, as expected.
TEST(Order, is_that_of_scheme_and_rule_against_what_is_exact) {
  const Options leapfrog{{"cells", "inf"}, {"scheme", "leapfrog"}};
  // Levels scatter: what counts is the fit over all.
  const Options midpoint{{"rule", "midpoint"}, {"order-tolerance", "1"}};
  struct Case {
    Options options;
    double order;       ///< of x, y and u at the cells' points
    double order_of_u;  ///< over all s, where it is constant on cells
    double within = 0.02;
  };
  for (const auto& [options, order, order_of_u, within] :
       {Case{papers_case(Refine::steps, "exact", "10000,20000,40000,80000", continuum), 1, 1},
        {papers_case(Refine::steps, "exact", "1500,3000,6000,12000,24000", leapfrog), 2, 2, 0.03},
        {papers_case(Refine::steps, "exact-time", "10000,20000,40000"), 1, 1},
        {papers_case(Refine::cells, "cells-inf", "200,400,800,1600,3200"), 1, 1},
        {papers_case(Refine::cells, "cells-inf", "200,400,800,1600,3200", {{"scheme", "leapfrog"}}),
         1, 1},
        {papers_case(Refine::cells, "cells-inf", "50,100,200,400,800,1600,3200", midpoint), 2, 1,
         0.1}}) {
    SCOPED_TRACE(options.at("refine") + " " + options.at("reference") + " " + options.at("levels"));
    const Study study = run(options);
    for (std::size_t q = 0; q < study.results.size(); ++q) {
      const bool is_u = q == Errors::u;
      const char* quantity = study::quantities[q].name;
      const QuantityResult& found = study.results[q];
      EXPECT_EQ(found.fit.levels, study.cases.size()) << quantity;
      EXPECT_NEAR(found.fit.order, is_u ? order_of_u : order, within) << quantity;
      EXPECT_EQ(found.observed(), found.fit.order) << quantity;
      EXPECT_LT(found.fit.uncertainty, 2 * within) << quantity;
      EXPECT_GT(found.fit.constants.at(0), 0.0) << quantity;
    }
    EXPECT_EQ(study.verdict, Verdict::as_expected);
    const bool has_exact = options.at("reference") != "cells-inf";
    EXPECT_EQ(study.self_check > 0.0, has_exact);
    EXPECT_LT(study.self_check, 1e-11);
  }
}

TEST(Order, is_one_against_the_finest_run_and_between_successive_levels) {
  struct Case {
    Refine refine = Refine::steps;
    const char* reference = "";
    const char* levels = "";
    std::int64_t cells = 0;  ///< of the finest run
    std::int64_t steps = 0;
  };
  for (const auto& [refine, reference, levels, cells, steps] :
       {Case{Refine::steps, "finest", "500,1000,2000", 40, 32000},
        {Refine::steps, "finest", "600,1000,1200", 40, 24000},
        {Refine::steps, "successive", "1000,2000,4000"},
        {Refine::cells, "finest", "50,100,200", 3200, 500},
        {Refine::cells, "successive", "100,200,400"},
        {Refine::both, "finest", "50:500,100:1000", 1600, 16000}}) {
    SCOPED_TRACE(std::string(study::name_of(refine)) + " " + reference + " " + levels);
    const Options options = short_case(refine, reference, levels);
    const Study study = run(options);
    for (const char* quantity : {"x", "y", "u"}) {
      EXPECT_NEAR(finding(study, quantity).observed(), 1.0, 0.1) << quantity;
      EXPECT_EQ(finding(study, quantity).verdict, Verdict::as_expected) << quantity;
    }
    EXPECT_EQ(study.verdict, Verdict::as_expected);
    EXPECT_TRUE(std::isnan(study.cases[0].orders[Errors::x]));
    EXPECT_FALSE(std::isnan(study.cases[1].orders[Errors::x]));
    const auto finest = spec_of(options).reference.finest;
    ASSERT_EQ(finest.has_value(), cells > 0);
    if (finest) {
      EXPECT_EQ(std::get<slab::Cells>(finest->space).count, cells);
      EXPECT_EQ(finest->steps, steps);
    } else {
      EXPECT_TRUE(std::isnan(study.cases.back().orders[Errors::x])) << "the last level has no next";
      EXPECT_TRUE(std::isnan(study.cases.back().errors[Errors::x]));
    }
  }
}

/// The same P on both sides: the space error is not there, however few the cells. Against the
/// continuum 40 cells leave an error that no step removes.
TEST(TimeError, at_a_finite_p_is_measured_without_the_space_error) {
  const Study study = run(papers_case(Refine::steps, "exact-time", "20000,40000"));
  const Study with_space = run(papers_case(Refine::steps, "exact", "20000,40000"));
  EXPECT_EQ(study.cases[1].dt, 30.0 / 40000);
  EXPECT_EQ(study.cases[1].ds, 1.0 / 40);
  EXPECT_GT(with_space.cases[1].errors[Errors::x], 5 * study.cases[1].errors[Errors::x]);
  EXPECT_LT(finding(with_space, "x").observed(), 0.5);
  EXPECT_EQ(with_space.verdict, Verdict::not_as_expected);
}

/// 596·25 = 2980·5: references with the same steps, of which one keeps each 25th, the other each
/// 5th.
TEST(TimeError, does_not_depend_on_the_other_levels) {
  Options c = papers_case(Refine::steps, "exact", "596,2980",
                          {{"cells", "inf"}, {"scheme", "leapfrog"}, {"field-samples", "25"}});
  const Study study = run(c);
  c["levels"] = "2980,5960";
  EXPECT_EQ(study.cases[1].errors[Errors::x], run(c).cases[0].errors[Errors::x]);
}

/// error ≈ C₁δs + C₂δt: the constants of a staircase are those of the two separate studies.
TEST(BothErrors, have_the_constants_of_the_separate_studies) {
  const Study of_time = run(papers_case(Refine::steps, "exact", "20000,40000,80000", continuum));
  const Study of_space =
      run(papers_case(Refine::cells, "cells-inf", "200,400,800", {{"steps", "80000"}}));
  const Study of_both = run(papers_case(
      Refine::both, "exact", "100:20000,200:20000,200:40000,400:40000,400:80000,800:80000"));
  // u's two errors are largest at different s and t, x's and y's need not be of one sign.
  for (const char* quantity : {"x", "y"}) {
    const QuantityResult& both = finding(of_both, quantity);
    const double in_space = finding(of_space, quantity).fit.constants.at(0);
    const double in_time = finding(of_time, quantity).fit.constants.at(0);
    EXPECT_NEAR(std::abs(both.joint.space) / in_space, 1.0, 0.25) << quantity;
    EXPECT_NEAR(std::abs(both.joint.time) / in_time, 1.0, 0.25) << quantity;
    EXPECT_GT(both.joint.space_uncertainty, 0.0);
    EXPECT_NEAR(both.fit.order, 1.0, 0.1) << quantity;
  }
  EXPECT_TRUE(std::isnan(finding(of_time, "x").joint.space)) << "nothing to tell apart";
}

/// Of the last pair, of the fit of three levels.
TEST(Verdict, is_of_the_expected_orders) {
  for (const char* levels : {"1500,3000", "1500,3000,6000"}) {
    Options c =
        papers_case(Refine::steps, "exact", levels, {{"cells", "inf"}, {"scheme", "leapfrog"}});
    for (const auto& [expected, verdict] : {std::pair("x=1", Verdict::not_as_expected),
                                            {"x=2,y=1", Verdict::not_as_expected},
                                            {"x>=1.5,u>=1", Verdict::as_expected},
                                            {"y=2", Verdict::as_expected}}) {
      c["expect-order"] = expected;
      const Study study = run(c);
      EXPECT_EQ(study.verdict, verdict) << expected;
      EXPECT_EQ(finding(study, "x").expected.has_value(), expected[0] == 'x');
    }
  }
}

TEST(Verdict, is_undefined_where_there_is_no_order) {
  EXPECT_EQ(run(short_case(Refine::steps, "successive", "100,200")).verdict, Verdict::undefined);
}

/// A stiff spring makes explicit Euler grow by exp(60 δt) on a coarse grid: those levels are marked
/// and do not enter. |u| ≤ η bounds the error of u there.
TEST(Verdict, leaves_out_levels_before_the_asymptotic_range) {
  const Options c = papers_case(Refine::steps, "exact", "250,500,20000,40000,80000,160000",
                                {{"cells", "inf"}, {"k0", "3"}, {"expect-order", "x=1,y=1"}});
  const Study study = run(c);
  for (const char* quantity : {"x", "y"}) {
    const QuantityResult& found = finding(study, quantity);
    EXPECT_EQ(found.fit.marks, (std::vector{Mark::before, Mark::before, Mark::fitted, Mark::fitted,
                                            Mark::fitted, Mark::fitted}));
    EXPECT_NEAR(found.fit.order, 1.0, 0.06) << quantity;
  }
  EXPECT_EQ(study.verdict, Verdict::as_expected);
  const std::string text = study::table(spec_of(c), study);
  EXPECT_NE(text.find("< left out of the fit: before the asymptotic range"), std::string::npos);
  EXPECT_NE(text.find("(fit of 4 levels)"), std::string::npos) << text;
}

TEST(Verdict, is_of_the_last_pair_with_fewer_than_three_levels) {
  const Options c = papers_case(Refine::steps, "exact", "20000,40000", continuum);
  const Study study = run(c);
  const QuantityResult& x = finding(study, "x");
  EXPECT_TRUE(std::isnan(x.fit.order));
  EXPECT_EQ(x.observed(), study.cases[1].orders[Errors::x]);
  EXPECT_EQ(x.observed(), x.last_pair);
  EXPECT_EQ(study.verdict, Verdict::as_expected);
  EXPECT_NE(study::table(spec_of(c), study).find("(last pair)"), std::string::npos);
}

/// An elastic system of one stiffness for every P: no space error but rounding.
TEST(Verdict, is_exact_on_the_round_off_floor) {
  const Options c = papers_case(Refine::cells, "cells-inf", "10,20,40", {{"threshold", "100"}});
  const Study study = run(c);
  const QuantityResult& x = finding(study, "x");
  EXPECT_EQ(x.fit.marks, std::vector<Mark>(3, Mark::on_floor));
  EXPECT_TRUE(std::isnan(x.observed()));
  EXPECT_EQ(study.verdict, Verdict::exact);
  EXPECT_NE(study::table(spec_of(c), study).find("round-off floor"), std::string::npos);
}

/// A system at rest has no error at all, of any order.
TEST(Verdict, is_exact_where_all_errors_are_zero) {
  for (const char* reference : {"finest", "successive", "exact-time"}) {
    for (const char* expected : {"", "1", "x=2", "u>=0.5", "none"}) {
      Options rest = short_case(Refine::steps, reference, "100,200,400");
      rest["force"] = "0";
      if (expected != std::string()) {
        rest["expect-order"] = expected;
      }
      const Study study = run(rest);
      EXPECT_EQ(study.cases[1].errors[Errors::x], 0.0);
      EXPECT_TRUE(std::isnan(study.cases[1].orders[Errors::x]));
      const bool is_judged = expected != std::string("none");
      EXPECT_EQ(study.verdict, is_judged ? Verdict::exact : Verdict::not_judged) << expected;
    }
  }
}

/// k is linear and nothing yields: the sums of the rule right err by the order 1, those of the rule
/// midpoint not at all.
TEST(Verdict, is_that_of_the_quantities_that_err) {
  Options c = short_case(Refine::cells, "cells-inf", "20,40,80,160",
                         {{"threshold", "100+s"}, {"stiffness", "1+s"}, {"engine", "memory"}});
  EXPECT_EQ(run(c).verdict, Verdict::as_expected);
  c["rule"] = "midpoint";
  const Study study = run(c);
  EXPECT_EQ(study.verdict, Verdict::exact);
  EXPECT_EQ(study.conclusions.remarks,
            std::vector<std::string>{"All errors of x, y, u and u at the cells’ points are on the "
                                     "round-off floor, and so of any order."});
}

TEST(Study, refuses_a_level_whose_cells_are_wrong) {
  // Only cells of the reference lie where k < 0.
  EXPECT_THROW(run(short_case(Refine::cells, "finest", "2,4", {{"stiffness", "s < 0.1 ? -1 : 1"}})),
               base::UserError);
}

}  // namespace masing::test_refinement
