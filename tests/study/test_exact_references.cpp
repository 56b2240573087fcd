// Studies of the papers' case against references that are exact in what is refined: the orders of
// both schemes and both rules, each with the other error removed, and how a fit becomes a verdict.
// Source: Propositions 3.1 and 4.1, continuous-masing-2001.

#include <gtest/gtest.h>

#include <cmath>

#include "study/output.hpp"
#include "study/refinement.hpp"
#include "support/options.hpp"
#include "support/world.hpp"

namespace masing::test_exact_references {

using given::Options;
using given::spec_of;
using statistics::Mark;
using statistics::Verdict;
using study::QuantityResult;
using study::Refine;
using study::Study;

Study run(const Options& options) {
  return study::refine(support::world(), spec_of(options));
}

/// The papers' case on [0, 30], by turning points: a step costs the same at every P.
Options papers_case(Refine refine, const std::string& reference, const std::string& levels) {
  return {{"final-time", "30"}, {"steps", "3000"},        {"cells", "40"},
          {"engine", "memory"}, {"field-points", "200"},  {"refine", study::name_of(refine)},
          {"levels", levels},   {"reference", reference}, {"field-samples", "50"},
          {"quiet", ""}};
}

const QuantityResult& finding(const Study& study, const std::string& quantity) {
  std::size_t q = 0;
  while (study::quantities[q].name != quantity) {
    ++q;
  }
  return study.results.at(q);
}

void expect_order(const Study& study, const std::string& quantity, double order, double within) {
  const QuantityResult& found = finding(study, quantity);
  EXPECT_EQ(found.fit.levels, study.cases.size()) << quantity;
  EXPECT_NEAR(found.fit.order, order, within) << quantity;
  EXPECT_EQ(found.observed, found.fit.order) << quantity;
  EXPECT_LT(found.fit.uncertainty, 2 * within) << quantity;
  EXPECT_GT(found.fit.constants.at(0), 0.0) << quantity;
}

TEST(TimeError, of_euler_is_of_first_order) {
  Options c = papers_case(Refine::steps, "exact", "10000,20000,40000,80000");
  c["cells"] = "inf";
  const Study study = run(c);
  for (const char* quantity : {"x", "y", "u"}) {
    expect_order(study, quantity, 1.0, 0.02);
  }
  EXPECT_EQ(study.verdict, Verdict::as_expected);
  EXPECT_EQ(study.cases[0].ds, 0.0);
  EXPECT_GT(study.self_check, 0.0);
  EXPECT_LT(study.self_check, 1e-11);
}

TEST(TimeError, of_leapfrog_is_of_second_order) {
  Options c = papers_case(Refine::steps, "exact", "1500,3000,6000,12000,24000");
  c["cells"] = "inf";
  c["scheme"] = "leapfrog";
  const Study study = run(c);
  for (const char* quantity : {"x", "y", "u"}) {
    expect_order(study, quantity, 2.0, 0.03);
  }
  EXPECT_EQ(study.verdict, Verdict::as_expected) << "2 is what leapfrog promises";
}

/// The same P on both sides: the space error is not there, however few the cells.
TEST(TimeError, at_a_finite_p_is_measured_without_the_space_error) {
  const Study study = run(papers_case(Refine::steps, "exact-time", "10000,20000,40000"));
  for (const char* quantity : {"x", "y", "u", "u_cells"}) {
    expect_order(study, quantity, 1.0, 0.02);
  }
  // Against the continuum 40 cells leave an error that no step removes.
  const Study with_space = run(papers_case(Refine::steps, "exact", "20000,40000"));
  EXPECT_GT(with_space.cases[1].errors.x, 5 * study.cases[2].errors.x);
  EXPECT_LT(finding(with_space, "x").observed, 0.5);
  EXPECT_EQ(with_space.verdict, Verdict::not_as_expected);
}

/// 596·25 = 2980·5: references with the same steps, of which one keeps each 25th, the other each
/// 5th.
TEST(TimeError, does_not_depend_on_the_other_levels) {
  Options c = papers_case(Refine::steps, "exact", "596,2980");
  c["cells"] = "inf";
  c["scheme"] = "leapfrog";
  c["field-samples"] = "25";
  const Study study = run(c);
  c["levels"] = "2980,5960";
  EXPECT_EQ(study.cases[1].errors.x, run(c).cases[0].errors.x);
}

TEST(SpaceError, of_rule_right_is_of_first_order) {
  for (const char* scheme : {"euler", "leapfrog"}) {
    Options c = papers_case(Refine::cells, "cells-inf", "200,400,800,1600,3200");
    c["scheme"] = scheme;
    const Study study = run(c);
    for (const char* quantity : {"x", "y", "u"}) {
      expect_order(study, quantity, 1.0, 0.02);
    }
    EXPECT_EQ(study.verdict, Verdict::as_expected);
    EXPECT_EQ(study.self_check, 0.0) << "no exact solution is in it";
  }
}

/// x, y and u at the cells' own points are of second order; u over all s, which is constant on
/// cells, of first.
TEST(SpaceError, of_rule_midpoint_is_of_second_order_but_for_u_over_all_s) {
  Options c = papers_case(Refine::cells, "cells-inf", "50,100,200,400,800,1600,3200");
  c["rule"] = "midpoint";
  c["order-tolerance"] = "1";  // levels scatter: what counts is the fit over all
  const Study study = run(c);
  for (const char* quantity : {"x", "y", "u_cells"}) {
    expect_order(study, quantity, 2.0, 0.1);
  }
  expect_order(study, "u", 1.0, 0.02);
  EXPECT_EQ(study.verdict, Verdict::as_expected) << "x=2, y=2, u=1, u_cells=2 are promised";
  EXPECT_EQ(finding(study, "u_cells").expected->order, 2.0);
  EXPECT_EQ(finding(study, "u").expected->order, 1.0);
}

/// error ≈ C₁δs + C₂δt: the constants of a staircase are those of the two separate studies.
TEST(BothErrors, have_the_constants_of_the_separate_studies) {
  Options time = papers_case(Refine::steps, "exact", "20000,40000,80000");
  time["cells"] = "inf";
  Options space = papers_case(Refine::cells, "cells-inf", "200,400,800");
  space["steps"] = "80000";
  const Study of_time = run(time);
  const Study of_space = run(space);
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

TEST(FitVerdict, is_of_the_fit_not_of_the_last_pair) {
  Options c = papers_case(Refine::steps, "exact", "1500,3000,6000");
  c["cells"] = "inf";
  c["scheme"] = "leapfrog";
  c["expect-order"] = "x=1";
  EXPECT_EQ(run(c).verdict, Verdict::not_as_expected);
  c["expect-order"] = "x>=1.5,u>=1";
  EXPECT_EQ(run(c).verdict, Verdict::as_expected);
  c["expect-order"] = "y=2";
  const Study study = run(c);
  EXPECT_EQ(study.verdict, Verdict::as_expected);
  EXPECT_FALSE(finding(study, "x").expected.has_value());
}

/// A stiff spring makes explicit Euler grow by exp(60 δt) on a coarse grid: those levels are marked
/// and do not enter.
TEST(FitVerdict, leaves_out_levels_before_the_asymptotic_range) {
  Options c = papers_case(Refine::steps, "exact", "250,500,20000,40000,80000,160000");
  c["cells"] = "inf";
  c["k0"] = "3";
  c["expect-order"] = "x=1,y=1";  // |u| ≤ η bounds the error of u before the range, too
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

TEST(FitVerdict, is_of_the_last_pair_with_fewer_than_three_levels) {
  Options c = papers_case(Refine::steps, "exact", "20000,40000");
  c["cells"] = "inf";
  const Study study = run(c);
  const QuantityResult& x = finding(study, "x");
  EXPECT_TRUE(std::isnan(x.fit.order));
  EXPECT_EQ(x.observed, study.cases[1].orders.x);
  EXPECT_EQ(x.observed, x.last_pair);
  EXPECT_EQ(study.verdict, Verdict::as_expected);
  EXPECT_NE(study::table(spec_of(c), study).find("(last pair)"), std::string::npos);
}

/// An elastic system of one stiffness for every P: no space error but rounding.
TEST(FitVerdict, is_exact_on_the_round_off_floor) {
  Options c = papers_case(Refine::cells, "cells-inf", "10,20,40");
  c["threshold"] = "100";
  const Study study = run(c);
  const QuantityResult& x = finding(study, "x");
  EXPECT_EQ(x.fit.marks, std::vector<Mark>(3, Mark::on_floor));
  EXPECT_TRUE(std::isnan(x.observed));
  EXPECT_EQ(study.verdict, Verdict::exact);
  EXPECT_NE(study::table(spec_of(c), study).find("round-off floor"), std::string::npos);
}

/// The same study on this rank alone has the same errors and orders, bit for bit.
TEST(Study, does_not_depend_on_the_ranks) {
  const Options studies[] = {papers_case(Refine::both, "exact", "30:400,170:900"),
                             papers_case(Refine::steps, "exact-time", "400,900"),
                             papers_case(Refine::cells, "cells-inf", "30,2050")};
  for (const Options& options : studies) {
    const study::StudySpec spec = spec_of(options);
    const parallel::Communicator alone = support::alone();
    const Study all = study::refine(support::world(), spec);
    const Study one = study::refine(alone, spec);
    ASSERT_EQ(all.cases.size(), one.cases.size());
    for (std::size_t i = 0; i < all.cases.size(); ++i) {
      for (const auto& quantity : study::quantities) {
        EXPECT_EQ(all.cases[i].errors.*quantity.value, one.cases[i].errors.*quantity.value);
      }
    }
  }
}

}  // namespace masing::test_exact_references
