// The orders of both schemes and both rules against every reference, in studies of the papers' case
// on ladders inside the asymptotic range (the error of `euler` grows like exp(δt ω² T/2), ω ≤ 1:
// δt T ≪ 1). Source: Propositions 3.1 and 4.1, continuous-masing-2001.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <ostream>

#include "study/refinement.hpp"
#include "support/options.hpp"
#include "support/world.hpp"

namespace masing::test_orders {

using statistics::Verdict;
using study::Errors;
using study::Study;

/// A study of the papers' case on [0, 30], by turning points: a step costs the same at every P;
/// with other options than these.
Study run(const std::string& options) {
  return study::make_study(
      support::world(),
      given::spec_of(options + "; final-time=30; steps=3000; cells=40; engine=memory; "
                               "field-points=200; field-samples=50; quiet"));
}

struct Case {
  const char* name;
  std::string options;
  double order = 1.0;       ///< of x, y and u at the cells' points
  double order_of_u = 1.0;  ///< over all s, where it is constant on cells
  double within = 0.02;     ///< also the least half of the fit's uncertainty

  friend std::ostream& operator<<(std::ostream& stream, const Case& one) {
    return stream << one.name;
  }
};

class Order : public testing::TestWithParam<Case> {};

/// Of a fit of all levels where there are three, as expected.
TEST_P(Order, is_that_of_scheme_and_rule) {
  const auto& [name, options, order, order_of_u, within] = GetParam();
  const Study study = run(options);
  EXPECT_EQ(study.verdict, Verdict::as_expected);
  const bool is_successive = options.find("successive") != std::string::npos;
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    const char* quantity = std::array{"x", "y", "u", "u_cells"}[q];
    const study::QuantityResult& found = study.results[q];
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
  EXPECT_EQ(study.self_check > 0.0, options.find("=exact") != std::string::npos);
  EXPECT_LT(study.self_check, 1e-11);
  // Rows t, x, y, F, restoring of the last level: its last time is T.
  EXPECT_EQ(study.series.at(study.series.size() - 5),
            std::stod(given::options(options + "; final-time=30").at("final-time")));
}

const std::string by_sweeps = "final-time=10; steps=500; engine=sweep; ";

INSTANTIATE_TEST_SUITE_P(
    All, Order,
    testing::Values(
        Case{"euler", "reference=exact; levels=10000,20000,40000,80000; cells=inf"},
        Case{"leapfrog",
             "reference=exact; levels=1500,3000,6000,12000,24000; cells=inf; "
             "scheme=leapfrog",
             2, 2, 0.03},
        // The round-off floor is relative to each quantity.
        Case{"euler_of_tiny_forces",
             "reference=exact; levels=1000,2000,4000,8000; cells=inf; final-time=10; "
             "threshold=1e-8*(s+0.1); force=1e-8*0.45*cos(0.5*t)"},
        Case{"euler_of_cells", "reference=exact-time; levels=10000,20000,40000,80000"},
        Case{"right_by_leapfrog",
             "refine=cells; reference=cells-inf; levels=200,400,800,1600,3200; "
             "scheme=leapfrog"},
        // Levels scatter: what counts is the fit over all.
        Case{"midpoint",
             "refine=cells; reference=cells-inf; levels=50,100,200,400,800,1600,3200; "
             "rule=midpoint; order-tolerance=1",
             2, 1, 0.1},
        Case{"cells_by_the_finest", by_sweeps + "refine=cells; reference=finest; levels=50,100,200",
             1, 1, 0.1},
        Case{"cells_in_turn",
             by_sweeps + "refine=cells; reference=successive; levels=100,200,400,800", 1, 1, 0.1},
        Case{"both_by_the_finest",
             by_sweeps + "refine=both; reference=finest; levels=50:500,100:1000,200:2000", 1, 1,
             0.1}),
    [](const auto& of) { return std::string(of.param.name); });

/// An elastic system of one stiffness for every P has no space error but rounding; where k is
/// linear, the sums of the rule midpoint are exact, too.
TEST(Elastic, has_no_error_in_space_but_round_off) {
  const std::string study = "refine=cells; reference=cells-inf; levels=20,40,80,160; threshold=100";
  for (const char* exact : {"", "+s; stiffness=1+s; rule=midpoint"}) {
    const Study found = run(study + exact);
    EXPECT_EQ(found.results[Errors::x].fit.marks,
              std::vector<statistics::Mark>(4, statistics::Mark::on_floor));
    EXPECT_TRUE(std::isnan(found.results[Errors::x].observed()));
    EXPECT_EQ(found.verdict, Verdict::exact);
  }
  EXPECT_EQ(run(study + "+s; stiffness=1+s").verdict, Verdict::as_expected) << "the rule right";
}

/// The floor of a ladder to many cells is some roundings, a thousandth of the 1e-10 that is assumed
/// of others.
TEST(ManyCells, are_measured_against_their_own_round_off) {
  const Study study =
      run("refine=cells; reference=cells-inf; final-time=20; steps=400; k0=0.1; "
          "levels=1000,100000,1000000000,100000000000");
  for (std::size_t q = 0; q < study.results.size(); ++q) {
    EXPECT_GT(study.floors[q], 0.0) << q;
    EXPECT_LT(study.floors[q], 1e-13 * 20) << q;
    for (std::size_t i = 1; i < study.cases.size(); ++i) {
      EXPECT_NEAR(study.cases[i].orders[q], 1.0, 0.01) << q;
    }
  }
}

}  // namespace masing::test_orders
