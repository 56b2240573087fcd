// What scheme, rule, problem and reference promise, from the leading terms of the errors.

#include <gtest/gtest.h>

#include "study/study_spec.hpp"
#include "support/options.hpp"

namespace masing::test_promised_order {

using study::Refine;

/// "1" or ">=1" of x and of u where cells are refined by the rule right, or as `options` say.
void expect_promised(std::initializer_list<std::pair<std::string, std::string>> cases) {
  for (const auto& [options, orders] : cases) {
    const study::StudySpec spec = given::spec_of(
        options + "; refine=cells; threshold=0.1+s; force=0; scheme=euler; reference=exact");
    std::string found;
    for (const std::size_t q : {0, 2}) {  // x and u
      const auto order = study::promised_order(*spec.run.model, spec.refine, spec.reference,
                                               spec.run.model->quantities()[q]);
      found += (order.at_least ? " >=" : " ") + base::to_text(order.order);
    }
    EXPECT_EQ(found, " " + orders) << options;
  }
}

TEST(PromisedOrder, is_that_of_the_scheme_and_of_the_rule) {
  expect_promised({{"refine=steps", "1 1"},
                   {"refine=steps; scheme=leapfrog", "2 2"},
                   {"", "1 1"},
                   {"rule=midpoint", "2 1"}});
}

/// Until something yields u is uniform, and its error is that of the quadrature of k: of order 2 by
/// the rule midpoint and, where k is the same at both ends, by the rule right, 0 for uniform k.
/// What F does is not known beforehand.
TEST(PromisedOrder, is_a_lower_bound_where_it_would_be_higher_unless_something_yields) {
  const std::string falling = "threshold=2-0.1*s; ";
  const std::string hill = "stiffness=1+s*(1-s); ";
  const std::string curved = "stiffness=1/(1+s); rule=midpoint; ";
  expect_promised({{falling + curved, "2 >=1"},
                   {falling + curved + "initial-u=0.1*s", "2 1"},
                   {hill, ">=1 >=1"},
                   {hill + "threshold=0.2+s*(1-s)", "2 >=1"},
                   {hill + "refine=both", "1 1"},
                   // With uniform k nothing errs while nothing yields; then the weakest cells do.
                   {"threshold=0.1+s-s^2/2-sin(pi*s)/40", "1 1"},
                   {"threshold=0.1+(s-0.3)^2", ">=1 1"},
                   // Bounds that differ by direction: u0 itself is uniform, not what it is less
                   // their mean c = 0.1 s.
                   {curved + "threshold=0.1+1.1*s; threshold-down=0.1+0.9*s", "2 >=1"}});
}

TEST(PromisedOrder, is_two_of_the_rule_right_where_it_is_the_trapezoidal_rule) {
  expect_promised(
      {{"threshold=0.2+s*(1-s)", "2 1"},
       {"threshold=0.2+s*(1-s); stiffness=2-s", "1 1"},
       // u0 vanishes at the ends but for rounding, whose size is not that of u0 at a few places.
       {"threshold=0.3+0.2*sin(pi*s); initial-u=0.1*sin(10*pi*s)", "2 1"},
       {"threshold=0.2+s*(1-s); initial-u=0.1*s", "1 1"},
       // The first-order term is small beside the second for any P in use.
       {"threshold=0.2+0.5*exp(-100*(s-0.4)^2)+1e-6*s", ">=1 1"}});
}

TEST(PromisedOrder, of_uniform_u_is_a_lower_bound_that_of_the_quadrature_of_k) {
  const std::string uniform = "threshold=0.3*(sin(s)^2+cos(s)^2); ";  // but for rounding
  expect_promised({{uniform + "stiffness=1+s; rule=midpoint", ">=2 >=2"},
                   {uniform + "stiffness=1+s", "1 1"},
                   {uniform + "initial-u=0.1*s; rule=midpoint", "2 1"}});
}

/// The lesser, a lower bound where they differ; that of what the reference does not share.
TEST(PromisedOrder, of_both_is_of_what_the_reference_does_not_share) {
  const std::string both = "refine=both; ";
  const std::string leapfrog = both + "scheme=leapfrog; reference=";
  expect_promised({{both, "1 1"},
                   {both + "rule=midpoint", ">=1 1"},
                   {both + "rule=midpoint; scheme=leapfrog", "2 >=1"},
                   {leapfrog + "exact", ">=1 >=1"},
                   {leapfrog + "exact-time", "2 2"},
                   {leapfrog + "cells-inf", "1 1"},
                   {leapfrog + "finest", ">=1 >=1"}});
}

engine::RunSpec run_of(const std::string& options) {
  return given::requested(cli::Command::simulate,
                          given::options(options + "; final-time=10; steps=10"))
      .run;
}

/// Why k does not meet the hypotheses on cells.
std::string fault_of(const std::string& stiffness) {
  return study::unmet_hypotheses(run_of("stiffness=" + stiffness), Refine::cells);
}

TEST(UnmetHypotheses, are_none_of_lipschitz_functions) {
  for (const char* lipschitz :
       {"2-s", "0.2+0.5*s^2", "exp(-60*s)", "0.1+abs(s-0.3)", "1e4+abs(s-0.3)", "s<0.5?0.1+s:1.1-s",
        "0.5+0.4*tanh((s-0.37)/1e-4)", "1+1e8*s", "1+1e-12*s", "2+triangle(1e6*s)"}) {
    EXPECT_EQ(fault_of(lipschitz), "") << lipschitz;
  }
}

TEST(UnmetHypotheses, say_where_a_function_is_singular_and_how) {
  for (const auto& [singular, fault] :
       {std::pair("1e-9+s^(2/3)", "k' is unbounded near s = 0 (exponent 0.67)"),
        {"0.1+s^0.9", "k' is unbounded near s = 0 (exponent 0.90)"},
        {"abs(s-0.2)+abs(s-0.6)^0.5", "k' is unbounded near s = 0.6 (exponent 0.50)"},
        {"s<0.123456?1:1.001", "k jumps near s = 0.123456"},
        {"2+abs(sin(1000*s))+(s<0.9?0:0.1)", "k jumps near s = 0.9"},
        {"1-s", "k(1) = 0 is not positive"},
        {"(s-0.1234567)^2", "k(0.123457) = 0 is not positive"},
        {"1/s", "k is not finite at s = 0"},
        {"sin(1/s)", "k is not finite at s = 0"}}) {
    EXPECT_EQ(fault_of(singular), fault);
  }
}

TEST(UnmetHypotheses, are_those_of_what_is_refined) {
  const engine::RunSpec run =
      run_of("threshold=(s-0.5)^2; initial-u=sqrt(s); scheme=leapfrog; force=t<2.5?0:1");
  EXPECT_EQ(study::unmet_hypotheses(run, Refine::steps), "F jumps near t = 2.5");
  EXPECT_EQ(study::unmet_hypotheses(run, Refine::cells),
            "u0' is unbounded near s = 0 (exponent 0.50), eta(0.5) = 0 is not positive");
  for (const auto& [motion, fault] :
       {std::pair("base-acceleration=t<2.5?0:1", "a_g jumps near t = 2.5"),
        {"set base_impedance=1; set base_mass=1; incoming-velocity=t<2.5?0:1",
         "v_in jumps near t = 2.5"}}) {
    const std::string chain = "; model=masing-chain; set n=2; set m=1; set k=1; set eta=1";
    EXPECT_EQ(study::unmet_hypotheses(run_of(motion + chain), Refine::steps), fault);
  }
}

}  // namespace masing::test_promised_order
