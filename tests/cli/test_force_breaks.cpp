// Where a force is not smooth: found in tables and waves, trusted or refused in expressions.
#include "cli/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace masing::test_force_breaks {

/// The breaks of an expression or points in t.
std::vector<double> force_breaks(const std::string& text, double final_time,
                                 std::span<const double> given) {
  const base::Function force(text, 't', [](const std::string&) { return std::string(); });
  return cli::force_breaks(force, final_time, given);
}

void expect_times(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-13 * expected.back()) << i;
  }
}

std::string refusal(const std::string& text) {
  try {
    (void)force_breaks(text, 10.0, {});
  } catch (const base::UserError& error) {
    return error.what();
  }
  return {};
}

TEST(ForceBreaks, smooth_expressions_have_none) {
  for (const char* text : {"0.45*cos(0.5*t)", "exp(-t^2)*sin(1e-3*t)", "0", "2*pi*t", "tanh(t)"}) {
    EXPECT_TRUE(force_breaks(text, 10.0, {}).empty()) << text;
  }
}

TEST(ForceBreaks, waves_of_affine_arguments) {
  expect_times(force_breaks("triangle(t)", 2.0, {}), {0.25, 0.75, 1.25, 1.75});
  expect_times(force_breaks("square(t)", 2.0, {}), {0.5, 1.0, 1.5});
  expect_times(force_breaks("0.3*sawtooth(0.5*t/(2*pi)) + cos(t)", 30.0, {}),
               {2 * std::acos(-1.0), 6 * std::acos(-1.0)});
  expect_times(force_breaks("square(0.25 - t/2)", 3.0, {}), {0.5, 1.5, 2.5});
  EXPECT_TRUE(force_breaks("square(0.3)", 3.0, {}).empty());
}

TEST(ForceBreaks, terms_with_the_same_corner_give_it_once) {
  expect_times(force_breaks("square(t) + sawtooth(3*t/3)", 1.2, {}), {0.5, 1.0});
}

TEST(ForceBreaks, points_of_a_table) {
  expect_times(force_breaks("points:0 1; 0.5 2; 3 4; 20 1", 10.0, {}), {0.5, 3.0});
}

TEST(ForceBreaks, given_ones_are_sorted_and_kept_within_the_run) {
  const std::vector<double> given{7.0, 2.0, 0.0, 12.0};
  expect_times(force_breaks("abs(t-2)+abs(t-7)", 10.0, given), {2.0, 7.0});
}

TEST(ForceBreaks, refuses_what_is_not_smooth_everywhere) {
  EXPECT_NE(refusal("abs(sin(t))").find("abs()"), std::string::npos);
  EXPECT_NE(refusal("t < 3 ? 1 : 0").find("--breaks"), std::string::npos);
  EXPECT_NE(refusal("square(sin(t))").find("a*t+b"), std::string::npos);
  for (const char* text : {"max(0,t)", "min(t,1)", "sign(t-1)", "rint(t)", "(t>=1)*t"}) {
    EXPECT_NE(refusal(text), "") << text;
  }
}

TEST(ForceBreaks, bounds_the_corners_of_all_waves_together) {
  EXPECT_EQ(force_breaks("square(4e5*t)", 10.0, {}).size(), 7999999);
  EXPECT_NE(refusal("square(4e5*t)+square(4e5*t)").find("10^7 corners"), std::string::npos);
}

TEST(ForceBreaks, given_breaks_make_any_expression_trusted) {
  const std::vector<double> given{4.0};
  expect_times(force_breaks("max(0, t-4)", 10.0, given), {4.0});
  expect_times(force_breaks("square(t^2)", 10.0, given), {4.0});
}

}  // namespace masing::test_force_breaks
