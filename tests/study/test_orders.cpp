// The orders of both schemes and both rules against every reference, in studies of the papers' case
// on ladders inside the asymptotic range (the error of `euler` grows like exp(δt ω² T/2), ω ≤ 1:
// δt T ≪ 1). Source: Propositions 3.1 and 4.1, continuous-masing-2001.

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "study/refinement.hpp"
#include "support/options.hpp"
#include "support/world.hpp"

namespace masing::test_orders {

using given::Options;
using statistics::Verdict;
using study::Errors;
using study::QuantityResult;
using study::Study;

/// The papers' case on [0, 30], by turning points: a step costs the same at every P; with other
/// options than these.
Options papers_case(const char* refine, const char* reference, const char* levels,
                    const char* other = "") {
  Options options = given::options(other);
  options.merge(Options{{"refine", refine}, {"levels", levels}, {"reference", reference}});
  options.merge(given::options(
      "final-time=30; steps=3000; cells=40; engine=memory; field-points=200; field-samples=50; "
      "quiet"));
  return options;
}

/// The same on [0, 10] by sweeps.
Options short_case(const char* refine, const char* reference, const char* levels) {
  return papers_case(refine, reference, levels, "final-time=10; steps=500; engine=sweep");
}

Study run(const Options& options) {
  return study::make_study(support::world(), given::spec_of(options));
}

struct Case {
  const char* name;
  Options options;
  double order = 1.0;       ///< of x, y and u at the cells' points
  double order_of_u = 1.0;  ///< over all s, where it is constant on cells
  double within = 0.02;     ///< also the least half of the fit's uncertainty
};

class Order : public testing::TestWithParam<Case> {};

/// Of a fit of all levels where there are three, as expected.
TEST_P(Order, is_that_of_scheme_and_rule) {
  const auto& [name, options, order, order_of_u, within] = GetParam();
  const Study study = run(options);
  EXPECT_EQ(study.verdict, Verdict::as_expected);
  const bool is_successive = options.at("reference") == "successive";
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const char* quantity = study::quantities_of(engine::RunSpec())[q].name;
    const QuantityResult& found = study.results[q];
    EXPECT_NEAR(found.observed(), q == Errors::u ? order_of_u : order, within) << quantity;
    EXPECT_TRUE(std::isnan(study.cases[0].orders[q]));
    EXPECT_FALSE(std::isnan(study.cases[1].orders[q]));
    EXPECT_EQ(std::isnan(study.cases.back().errors[q]), is_successive) << "it has no next";
    if (study.cases.size() > 3) {
      EXPECT_EQ(found.fit.levels, study.cases.size() - (is_successive ? 1 : 0)) << quantity;
      EXPECT_LT(found.fit.uncertainty, 2 * within) << quantity;
      EXPECT_GT(found.fit.constants.at(0), 0.0) << quantity;
    }
  }
  EXPECT_EQ(study.self_check > 0.0, options.at("reference").starts_with("exact"));
  EXPECT_LT(study.self_check, 1e-11);
  // Rows t, x, y, F, restoring of the last level: its last time is T.
  EXPECT_EQ(study.series.at(study.series.size() - 5), std::stod(options.at("final-time")));
}

INSTANTIATE_TEST_SUITE_P(
    All, Order,
    testing::Values(
        Case{"euler", papers_case("steps", "exact", "10000,20000,40000,80000", "cells=inf")},
        Case{"leapfrog",
             papers_case("steps", "exact", "1500,3000,6000,12000,24000",
                         "cells=inf; scheme=leapfrog"),
             2, 2, 0.03},
        Case{"euler_of_cells", papers_case("steps", "exact-time", "10000,20000,40000,80000")},
        Case{"right", papers_case("cells", "cells-inf", "200,400,800,1600,3200")},
        Case{"right_by_leapfrog",
             papers_case("cells", "cells-inf", "200,400,800,1600,3200", "scheme=leapfrog")},
        // Levels scatter: what counts is the fit over all.
        Case{"midpoint",
             papers_case("cells", "cells-inf", "50,100,200,400,800,1600,3200",
                         "rule=midpoint; order-tolerance=1"),
             2, 1, 0.1},
        Case{"cells_by_the_finest", short_case("cells", "finest", "50,100,200"), 1, 1, 0.1},
        Case{"cells_in_turn", short_case("cells", "successive", "100,200,400,800"), 1, 1, 0.1},
        Case{"both_by_the_finest", short_case("both", "finest", "50:500,100:1000,200:2000"), 1, 1,
             0.1}),
    [](const auto& of) { return std::string(of.param.name); });

/// An elastic system of one stiffness for every P has no space error but rounding; where k is
/// linear, the sums of the rule midpoint are exact, too.
TEST(Verdict, is_exact_on_the_round_off_floor) {
  for (const char* elastic : {"threshold=100", "threshold=100+s; stiffness=1+s; rule=midpoint"}) {
    const Study study = run(papers_case("cells", "cells-inf", "10,20,40", elastic));
    EXPECT_EQ(study.results[Errors::x].fit.marks,
              std::vector<statistics::Mark>(3, statistics::Mark::on_floor));
    EXPECT_TRUE(std::isnan(study.results[Errors::x].observed()));
    EXPECT_EQ(study.verdict, Verdict::exact);
  }
  const char* const by_the_rule_right = "threshold=100+s; stiffness=1+s";
  EXPECT_EQ(run(papers_case("cells", "cells-inf", "20,40,80,160", by_the_rule_right)).verdict,
            Verdict::as_expected);
}

/// The floor of a ladder to many cells is some roundings, a thousandth of the 1e-10 that is assumed
/// of others.
TEST(ManyCells, are_measured_against_their_own_round_off) {
  const Study study = run(papers_case("cells", "cells-inf", "1000,100000,1000000000,100000000000",
                                      "final-time=20; steps=400; k0=0.1"));
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    EXPECT_GT(study.floors[q], 0.0) << q;
    EXPECT_LT(study.floors[q], 1e-13 * 20) << q;
    for (std::size_t i = 1; i < study.cases.size(); ++i) {
      EXPECT_NEAR(study.cases[i].orders[q], 1.0, 0.01) << q;
    }
  }
}

TEST(Study, refuses_a_level_whose_cells_are_wrong) {
  // Only cells of the reference lie where k < 0.
  EXPECT_THROW(run(papers_case("cells", "finest", "2,4", "stiffness=s<0.1?-1:1; engine=sweep")),
               base::UserError);
}

}  // namespace masing::test_orders
