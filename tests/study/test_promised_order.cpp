// What scheme, rule, problem and reference promise, from the leading terms of the errors.

#include "study/promised_order.hpp"

#include <gtest/gtest.h>

#include "study/reference.hpp"

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

/// "1" or ">=1" of x and of u, as `refine` refines.
std::pair<std::string, std::string> promised(const Problem& problem, Refine refine,
                                             const char* reference = "exact") {
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

using Orders = std::pair<std::string, std::string>;

TEST(PromisedOrder, in_time_is_that_of_the_scheme) {
  EXPECT_EQ(promised({}, Refine::steps), Orders("1", "1"));
  EXPECT_EQ(promised({.scheme = Scheme::leapfrog}, Refine::steps), Orders("2", "2"));
}

TEST(PromisedOrder, in_space_is_that_of_the_rule) {
  EXPECT_EQ(promised({}, Refine::cells), Orders("1", "1"));
  EXPECT_EQ(promised({.rule = Rule::midpoint}, Refine::cells), Orders("2", "1"));
}

/// Until something yields u is uniform, and its error is that of the quadrature of k: of order 2 by
/// the rule midpoint and, where k is the same at both ends, by the rule right, 0 for uniform k.
/// What F does is not known beforehand.
TEST(PromisedOrder, is_a_lower_bound_where_it_would_be_higher_unless_something_yields) {
  const char* const falling = "2-0.1*s";
  const char* const hill = "1+s*(1-s)";
  EXPECT_EQ(promised({.stiffness = "1/(1+s)", .threshold = falling, .rule = Rule::midpoint},
                     Refine::cells),
            Orders("2", ">=1"));
  EXPECT_EQ(promised({.threshold = falling, .rule = Rule::midpoint}, Refine::cells),
            Orders("2", "1"));
  EXPECT_EQ(promised({.stiffness = "1/(1+s)",
                      .threshold = falling,
                      .initial_u = "0.1*s",
                      .rule = Rule::midpoint},
                     Refine::cells),
            Orders("2", "1"));
  EXPECT_EQ(promised({.stiffness = hill}, Refine::cells), Orders(">=1", ">=1"));
  EXPECT_EQ(promised({.stiffness = "1+s"}, Refine::cells), Orders("1", "1"));
  EXPECT_EQ(promised({.stiffness = hill, .threshold = "0.2+s*(1-s)"}, Refine::cells),
            Orders("2", ">=1"));
  // With uniform k nothing errs while nothing yields; then the weakest cells do.
  EXPECT_EQ(promised({.threshold = "0.1+s"}, Refine::cells), Orders("1", "1"));
  EXPECT_EQ(promised({.threshold = "0.1+s-s^2/2-sin(pi*s)/40"}, Refine::cells), Orders("1", "1"));
  EXPECT_EQ(promised({.threshold = "0.1+(s-0.3)^2"}, Refine::cells), Orders(">=1", "1"));
  EXPECT_EQ(promised({.stiffness = hill}, Refine::both), Orders("1", "1"));
  // Bounds that differ by direction: u0 itself is uniform, not what it is less their mean c.
  EXPECT_EQ(
      promised(
          {.stiffness = "1/(1+s)", .initial_u = "-0.1*s", .shift = "0.1*s", .rule = Rule::midpoint},
          Refine::cells),
      Orders("2", ">=1"));
}

TEST(PromisedOrder, is_two_of_the_rule_right_where_it_is_the_trapezoidal_rule) {
  EXPECT_EQ(promised({.threshold = "0.2+s*(1-s)"}, Refine::cells), Orders("2", "1"));
  EXPECT_EQ(promised({.stiffness = "2-s", .threshold = "0.2+s*(1-s)"}, Refine::cells),
            Orders("1", "1"));
  // u0 vanishes at the ends but for rounding, whose size is not that of u0 at a few places.
  const char* const wave = "0.1*sin(10*pi*s)";
  EXPECT_EQ(promised({.threshold = "0.3+0.2*sin(pi*s)", .initial_u = wave}, Refine::cells),
            Orders("2", "1"));
  EXPECT_EQ(promised({.threshold = "0.2+s*(1-s)", .initial_u = "0.1*s"}, Refine::cells),
            Orders("1", "1"));
  // The first-order term is small beside the second for any P in use.
  EXPECT_EQ(promised({.threshold = "0.2+0.5*exp(-100*(s-0.4)^2)+1e-6*s"}, Refine::cells),
            Orders(">=1", "1"));
}

TEST(PromisedOrder, of_uniform_u_is_a_lower_bound_that_of_the_quadrature_of_k) {
  for (const char* threshold :
       {"0.3", "0.3+0*s", "0.2+0.1*s+0.1*(1-s)", "0.3*(sin(s)^2+cos(s)^2)"}) {
    EXPECT_EQ(promised({.stiffness = "1+s", .threshold = threshold, .rule = Rule::midpoint},
                       Refine::cells),
              Orders(">=2", ">=2"))
        << threshold;
    EXPECT_EQ(promised({.stiffness = "1+s", .threshold = threshold}, Refine::cells),
              Orders("1", "1"))
        << threshold;
  }
  EXPECT_EQ(
      promised({.threshold = "0.3", .initial_u = "0.1*s", .rule = Rule::midpoint}, Refine::cells),
      Orders("2", "1"));
}

TEST(PromisedOrder, of_both_is_the_lesser_and_a_lower_bound_where_they_differ) {
  EXPECT_EQ(promised({}, Refine::both), Orders("1", "1"));
  EXPECT_EQ(promised({.scheme = Scheme::leapfrog}, Refine::both), Orders(">=1", ">=1"));
  EXPECT_EQ(promised({.rule = Rule::midpoint}, Refine::both), Orders(">=1", "1"));
  EXPECT_EQ(promised({.rule = Rule::midpoint, .scheme = Scheme::leapfrog}, Refine::both),
            Orders("2", ">=1"));
}

TEST(PromisedOrder, of_both_is_that_of_what_the_reference_does_not_share) {
  const Problem problem{.scheme = Scheme::leapfrog};
  EXPECT_EQ(promised(problem, Refine::both, "exact-time"), Orders("2", "2"));
  EXPECT_EQ(promised(problem, Refine::both, "cells-inf"), Orders("1", "1"));
  EXPECT_EQ(promised(problem, Refine::both, "finest"), Orders(">=1", ">=1"));
  EXPECT_EQ(promised(problem, Refine::both, "there/run.h5"), Orders(">=1", ">=1"));
}

}  // namespace masing::test_promised_order
