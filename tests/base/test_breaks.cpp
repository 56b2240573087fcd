// Where a force is not smooth: found in tables and waves, trusted or refused in expressions.
#include "base/periodicity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "support/given.hpp"

namespace masing::test_breaks {

base::Function function(const std::string& text) {
  return {text, 't'};
}

/// The breaks of an expression or points in t.
std::vector<double> breaks(const std::string& text, double final_time,
                           std::span<const double> given) {
  return base::breaks(function(text), final_time, given);
}

void expect_times(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-13 * expected.back()) << i;
  }
}

std::string refusal(const std::string& text) {
  return given::mistake([&] { (void)breaks(text, 10.0, {}); });
}

TEST(Breaks, smooth_expressions_have_none) {
  for (const char* text : {"0.45*cos(0.5*t)", "exp(-t^2)*sin(1e-3*t)", "0", "2*pi*t", "tanh(t)"}) {
    EXPECT_TRUE(breaks(text, 10.0, {}).empty()) << text;
  }
}

TEST(Breaks, waves_of_affine_arguments) {
  expect_times(breaks("triangle(t)", 2.0, {}), {0.25, 0.75, 1.25, 1.75});
  expect_times(breaks("square(t)", 2.0, {}), {0.5, 1.0, 1.5});
  expect_times(breaks("0.3*sawtooth(0.5*t/(2*pi)) + cos(t)", 30.0, {}),
               {2 * std::acos(-1.0), 6 * std::acos(-1.0)});
  expect_times(breaks("square(0.25 - t/2)", 3.0, {}), {0.5, 1.5, 2.5});
  EXPECT_TRUE(breaks("square(0.3)", 3.0, {}).empty());
}

TEST(Breaks, terms_with_the_same_corner_give_it_once) {
  expect_times(breaks("square(t) + sawtooth(3*t/3)", 1.2, {}), {0.5, 1.0});
}

TEST(Breaks, points_of_a_table) {
  expect_times(breaks("points:0 1; 0.5 2; 3 4; 20 1", 10.0, {}), {0.5, 3.0});
}

TEST(Breaks, given_ones_are_sorted_and_kept_within_the_run) {
  const std::vector<double> given{7.0, 2.0, 0.0, 12.0};
  expect_times(breaks("abs(t-2)+abs(t-7)", 10.0, given), {2.0, 7.0});
}

TEST(Breaks, refuses_what_is_not_smooth_everywhere) {
  EXPECT_NE(refusal("abs(sin(t))").find("abs()"), std::string::npos);
  EXPECT_NE(refusal("t < 3 ? 1 : 0").find("as breaks"), std::string::npos);
  EXPECT_NE(refusal("square(sin(t))").find("a*t+b"), std::string::npos);
  for (const char* text : {"max(0,t)", "min(t,1)", "sign(t-1)", "rint(t)", "(t>=1)*t"}) {
    EXPECT_NE(refusal(text), "") << text;
  }
}

TEST(Breaks, end_where_an_offset_leaves_no_digit_for_them) {
  for (const char* text : {"square(t+1e17)", "triangle(-t-6e103)", "sawtooth(3*t+1e300)"}) {
    EXPECT_LE(breaks(text, 10.0, {}).size(), 61U) << text;
  }
}

TEST(Breaks, names_the_quantity_at_fault) {
  const auto quantity = [](const base::Function& force) {
    try {
      (void)base::breaks(force, 10.0, {});
    } catch (const base::UserError& error) {
      return error.quantity();
    }
    return std::string();
  };
  const base::Function smooth = function("cos(t)");
  const base::Function rough = function("abs(t)");
  EXPECT_EQ(quantity(rough), "force");
  EXPECT_EQ(quantity(rough.plus(-2.0, smooth)), "force");
  EXPECT_EQ(quantity(smooth.plus(-2.0, rough)), "base-acceleration");
  EXPECT_EQ(quantity(function("square(1e7*t)")), "force");
}

TEST(Breaks, bounds_the_corners_of_all_waves_together) {
  EXPECT_EQ(breaks("square(4e5*t)", 10.0, {}).size(), 7999999);
  EXPECT_NE(refusal("square(4e5*t)+square(4e5*t)").find("10^7 corners"), std::string::npos);
}

TEST(Breaks, given_breaks_make_any_expression_trusted) {
  const std::vector<double> given{4.0};
  expect_times(breaks("max(0, t-4)", 10.0, given), {4.0});
  expect_times(breaks("square(t^2)", 10.0, given), {4.0});
}

}  // namespace masing::test_breaks
