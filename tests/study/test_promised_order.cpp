// What scheme, rule, problem and reference promise, from the leading terms of the errors.

#include <gtest/gtest.h>

#include "study/study_spec.hpp"
#include "support/options.hpp"

namespace masing::test_promised_order {

using slab::Rule;
using slab::Scheme;
using study::Refine;

struct Problem {
  const char* stiffness = "1";
  const char* threshold = "0.1+s";
  const char* initial_u = "0";
  const char* shift = "0";
  Rule rule = Rule::right;
  Scheme scheme = Scheme::euler;
};

engine::Masing model_of(const Problem& problem) {
  const auto function = [](const char* text) { return base::Function(text, 's', {}); };
  engine::Masing model{.scheme = problem.scheme};
  model.slab.stiffness = function(problem.stiffness);
  model.slab.threshold = function(problem.threshold);
  model.slab.initial_u = function(problem.initial_u);
  model.slab.shift = function(problem.shift);
  model.slab.rule = problem.rule;
  return model;
}

using Orders = std::pair<std::string, std::string>;

/// "1" or ">=1" of x and of u, as `refine` refines.
Orders promised(const Problem& problem, Refine refine, const char* reference = "exact") {
  const engine::Masing model = model_of(problem);
  const study::Reference kind =
      study::make_reference(reference, refine, {{slab::Cells{10}, 100}}, model);
  const auto text = [&](const char* quantity) {
    const auto order = study::promised_order(model, refine, kind, quantity);
    EXPECT_EQ(order.quantity, quantity);
    return (order.at_least ? ">=" : "") + std::to_string(static_cast<int>(order.order));
  };
  return {text("x"), text("u")};
}

void expect_in_space(std::initializer_list<std::pair<Problem, Orders>> cases) {
  for (const auto& [problem, orders] : cases) {
    EXPECT_EQ(promised(problem, Refine::cells), orders)
        << problem.stiffness << ", " << problem.threshold << ", " << problem.initial_u;
  }
}

TEST(PromisedOrder, is_that_of_the_scheme_and_of_the_rule) {
  EXPECT_EQ(promised({}, Refine::steps), Orders("1", "1"));
  EXPECT_EQ(promised({.scheme = Scheme::leapfrog}, Refine::steps), Orders("2", "2"));
  expect_in_space({{{}, {"1", "1"}}, {{.rule = Rule::midpoint}, {"2", "1"}}});
}

/// Until something yields u is uniform, and its error is that of the quadrature of k: of order 2 by
/// the rule midpoint and, where k is the same at both ends, by the rule right, 0 for uniform k.
/// What F does is not known beforehand.
TEST(PromisedOrder, is_a_lower_bound_where_it_would_be_higher_unless_something_yields) {
  const char* const falling = "2-0.1*s";
  const char* const hill = "1+s*(1-s)";
  const auto midpoint = Rule::midpoint;
  expect_in_space(
      {{{.stiffness = "1/(1+s)", .threshold = falling, .rule = midpoint}, {"2", ">=1"}},
       {{"1/(1+s)", falling, "0.1*s", "0", midpoint}, {"2", "1"}},
       {{.stiffness = hill}, {">=1", ">=1"}},
       {{.stiffness = hill, .threshold = "0.2+s*(1-s)"}, {"2", ">=1"}},
       // With uniform k nothing errs while nothing yields; then the weakest cells do.
       {{.threshold = "0.1+s-s^2/2-sin(pi*s)/40"}, {"1", "1"}},
       {{.threshold = "0.1+(s-0.3)^2"}, {">=1", "1"}},
       // Bounds that differ by direction: u0 itself is uniform, not what it is less their mean c.
       {{"1/(1+s)", "0.1+s", "-0.1*s", "0.1*s", midpoint}, {"2", ">=1"}}});
  EXPECT_EQ(promised({.stiffness = hill}, Refine::both), Orders("1", "1"));
}

TEST(PromisedOrder, is_two_of_the_rule_right_where_it_is_the_trapezoidal_rule) {
  expect_in_space(
      {{{.threshold = "0.2+s*(1-s)"}, {"2", "1"}},
       {{.stiffness = "2-s", .threshold = "0.2+s*(1-s)"}, {"1", "1"}},
       // u0 vanishes at the ends but for rounding, whose size is not that of u0 at a few places.
       {{.threshold = "0.3+0.2*sin(pi*s)", .initial_u = "0.1*sin(10*pi*s)"}, {"2", "1"}},
       {{.threshold = "0.2+s*(1-s)", .initial_u = "0.1*s"}, {"1", "1"}},
       // The first-order term is small beside the second for any P in use.
       {{.threshold = "0.2+0.5*exp(-100*(s-0.4)^2)+1e-6*s"}, {">=1", "1"}}});
}

TEST(PromisedOrder, of_uniform_u_is_a_lower_bound_that_of_the_quadrature_of_k) {
  const char* const uniform = "0.3*(sin(s)^2+cos(s)^2)";  // but for rounding
  expect_in_space(
      {{{.stiffness = "1+s", .threshold = uniform, .rule = Rule::midpoint}, {">=2", ">=2"}},
       {{.stiffness = "1+s", .threshold = uniform}, {"1", "1"}},
       {{.threshold = "0.3", .initial_u = "0.1*s", .rule = Rule::midpoint}, {"2", "1"}}});
}

/// The lesser, a lower bound where they differ; that of what the reference does not share.
TEST(PromisedOrder, of_both_is_of_what_the_reference_does_not_share) {
  EXPECT_EQ(promised({}, Refine::both), Orders("1", "1"));
  EXPECT_EQ(promised({.rule = Rule::midpoint}, Refine::both), Orders(">=1", "1"));
  EXPECT_EQ(promised({.rule = Rule::midpoint, .scheme = Scheme::leapfrog}, Refine::both),
            Orders("2", ">=1"));
  for (const auto& [reference, order] : {std::pair("exact", ">=1"),
                                         {"exact-time", "2"},
                                         {"cells-inf", "1"},
                                         {"finest", ">=1"},
                                         {"there/run.h5", ">=1"}}) {
    EXPECT_EQ(promised({.scheme = Scheme::leapfrog}, Refine::both, reference),
              Orders(order, order));
  }
}

/// Why k of a slab with η = 0.1 + s does not meet the hypotheses on cells.
std::string fault_of(const char* stiffness) {
  const engine::RunSpec run{model_of({.stiffness = stiffness}), {}, {1.0, 10}};
  return study::unmet_hypotheses(run, Refine::cells);
}

TEST(UnmetHypotheses, are_none_of_lipschitz_functions) {
  for (const char* lipschitz :
       {"2-s", "0.2+0.5*s^2", "exp(-60*s)", "0.1+abs(s-0.3)", "1e4+abs(s-0.3)",
        "points:0 1; 0.25 1; 0.2500001 1.1; 1 1", "s<0.5?0.1+s:1.1-s",
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
  engine::Masing model =
      model_of({.threshold = "(s-0.5)^2", .initial_u = "sqrt(s)", .scheme = Scheme::leapfrog});
  const engine::RunSpec run{model, base::Function("t<2.5?0:1", 't'), {10.0, 10}};
  EXPECT_EQ(study::unmet_hypotheses(run, Refine::steps), "F jumps near t = 2.5");
  EXPECT_EQ(study::unmet_hypotheses(run, Refine::cells),
            "u0' is unbounded near s = 0 (exponent 0.50), eta(0.5) = 0 is not positive");
  for (const auto& [motion, fault] :
       {std::pair("base-acceleration=t<2.5?0:1", "a_g jumps near t = 2.5"),
        {"set base_impedance=1; set base_mass=1; incoming-velocity=t<2.5?0:1",
         "v_in jumps near t = 2.5"}}) {
    const engine::RunSpec chain =
        given::requested(
            cli::Command::simulate,
            given::options(std::string(motion) + "; model=masing-chain; set n=2; set m=1; set k=1; "
                                                 "set eta=1; final-time=10"))
            .run;
    EXPECT_EQ(study::unmet_hypotheses(chain, Refine::steps), fault);
  }
}

}  // namespace masing::test_promised_order
