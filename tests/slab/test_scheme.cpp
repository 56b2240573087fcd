// The stability of the schemes: ω² = (k0 + ∫k ds)/m, and how many steps it asks for.
#include "slab/scheme.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/problem.hpp"

namespace masing::test_scheme {

TEST(ElasticFrequency, of_a_linear_stiffness_is_exact) {
  const auto problem = support::problem({.stiffness = "1+s"});
  const double frequency = slab::elastic_frequency(problem, {.mass = 0.5, .k0 = 0.5});
  EXPECT_NEAR(frequency, 2.0, 1e-14);
}

TEST(ElasticGrowth, is_undone_by_its_step) {
  EXPECT_DOUBLE_EQ(slab::elastic_growth(2.0, 0.0, {10.0, 200}), std::exp(1.0));
  EXPECT_DOUBLE_EQ(slab::step_for_growth(2.0, 0.0, {10.0, 200}, std::exp(1.0)), 0.05);
  EXPECT_DOUBLE_EQ(slab::elastic_growth(2.0, 0.1, {10.0, 200}), std::exp(0.5));
  EXPECT_DOUBLE_EQ(slab::step_for_growth(2.0, 0.1, {10.0, 200}, std::exp(0.5)), 0.05);
}

TEST(LeastStableSteps, are_rounded_up) {
  EXPECT_EQ(slab::least_stable_steps(1.0, {10.0, 1}, 2.0), 5);
  EXPECT_EQ(slab::least_stable_steps(1.0, {10.5, 1}, 2.0), 6);
  EXPECT_EQ(slab::least_stable_steps(1.0, {1e-9, 1}, 2.0), 1);
}

}  // namespace masing::test_scheme
