// What the structure of a force shows: where it is not smooth, found in tables and waves, trusted
// or refused in expressions; and its period, looked for in tables.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/periodicity.hpp"
#include "base/text.hpp"
#include "support/given.hpp"

namespace masing::test_periodicity {

using Texts = std::vector<std::string>;

base::Function function(const std::string& text) {
  return {text, 't'};
}

base::Function sum(const Texts& texts) {
  base::Function found;
  for (const std::string& text : texts) {
    found = found.plus(1.0, function(text));
  }
  return found;
}

bool has_period(const Texts& texts, double period, double final_time = HUGE_VAL) {
  return base::has_period(sum(texts), period, final_time);
}

std::optional<double> period_of(const Texts& texts) {
  return base::period_of(sum(texts), HUGE_VAL);
}

using std::numbers::pi;

/// Of products by trigonometry, as cos² t = (1 + cos 2t)/2. Of forces that are symmetric, or
/// nearly, values alone do not show the period: bounds of F tell those whose features repeat from
/// those with a pulse that does not.
TEST(Period, is_the_least_that_functions_and_bounds_show) {
  const std::pair<double, const char*> forces[] = {
      {2 * pi / 0.8, "0.45*cos(0.8*t)"},
      {7.0, "triangle(t/7+0.1)+sin(4*pi*t/7)"},
      {1.0, "square(1-t)+sawtooth(-(3*t))"},
      {0.25, "abs(abs(triangle(t))-0.5)"},
      {0.5, "square(t)*sin(2*pi*t)"},
      {pi, "0.8*cos(t)^2-0.4"},
      {pi, "cos(t)^2+1e-13*cos(t)"},
      {2 * pi, "cos(t)^2+1e-11*cos(t)"},
      {pi, "sin(t)>0?sin(t):-sin(t)"},
      {2 * pi / 7, "cos(7*acos(cos(t)))"},
      {2 * pi, "cos(t)*cos(3*t)+sin(4*t)+cos(t)^3"},
      {2 * pi, "cos(t)^2+0.5*exp(-(sin((t-1)/2)/1e-3)^2)"},
      {pi, "cos(t)^2+0.5*exp(-(sin((t-1)/2)/1e-7)^2)"},
      {2 * pi, "0*cos(t)"},  // constant: any part of it would do
      {2 * pi, "sin(t)*square(t/(2*pi))/(2+cos(t))"},
      {6 * pi, "sin(2*(t+sin(t/3)))"},
      {4 * pi, "40*exp(-(sin(t/2)/0.01)^2)"},
      {30 * pi, "cos(t)*cos(t/3)*cos(t/5)*0+cos(t)^2"},
      {2 * pi, "log(cos(t))"},  // has no value at times
      {2 * pi / 1.2, "cos(sqrt(1.44)*t)"},
      {2 * pi / 3, "cos((2 > 1 ? 3 : 4)*t)"},
      {2 * pi, "0*t+cos(t)+(t-t)"}};
  for (const auto& [period, text] : forces) {
    const auto found = period_of({text, "0"});
    ASSERT_TRUE(found.has_value()) << text;
    EXPECT_NEAR(*found, period, 1e-14 * period) << text;
  }
  EXPECT_NEAR(period_of({"cos(2*t)", "sin(3*t)"}).value(), 2 * pi, 1e-14);
}

TEST(Period, is_none_where_t_stands_elsewhere) {
  for (const char* text : {"0.3*cos(t)+40*exp(-((t-100)/0.01)^2)", "t*cos(t)", "cos(t)/t",
                           "cos(t)+1e-12*t", "cos(t^2)", "cos(t*sin(t))", "cos(t)*(t < 50)",
                           "cos(t)+min(t, 0)", "exp(-t)*sin(t)", "sin(exp(t))"}) {
    EXPECT_FALSE(period_of({text, "0"}).has_value()) << text;
    EXPECT_FALSE(period_of({"cos(t)", text}).has_value()) << text;
    EXPECT_FALSE(has_period({text, "0"}, 2 * pi)) << text;
  }
}

TEST(Period, is_none_without_a_common_multiple_and_any_multiple_is_one) {
  EXPECT_FALSE(period_of({"cos(t)+cos(sqrt(2)*t)", "0"}).has_value());
  EXPECT_FALSE(period_of({"cos(t)", "sin(pi*t)"}).has_value());
  EXPECT_FALSE(period_of({"0.3", "0"}).has_value());
  EXPECT_TRUE(has_period({"cos(t)", "sin(3*t)"}, 4 * pi));
  EXPECT_FALSE(has_period({"cos(t)", "sin(3*t)"}, 2 * pi / 3));
  EXPECT_FALSE(has_period({"cos(1e-12*t)+cos(t)", "0"}, 2 * pi));
  EXPECT_TRUE(has_period({"0.3", "0"}, 3.0));
}

/// A zigzag of period 2 over some of them, the last of another height.
std::string zigzag(int periods, double last_height) {
  std::string text = "points:0 0";
  for (int i = 0; i < periods; ++i) {
    const double height = i + 1 == periods ? last_height : 1.0;
    text += ";" + std::to_string(2 * i + 1) + " " + base::to_text(height);
    text += ";" + std::to_string(2 * i + 2) + " 0";
  }
  return text;
}

TEST(Period, of_a_table_repeats_itself_as_long_as_it_is_looked_at) {
  EXPECT_TRUE(has_period({zigzag(8, 1.0), "0"}, 2.0));
  EXPECT_TRUE(has_period({zigzag(8, 1.0), "cos(pi*t)"}, 2.0));
  EXPECT_FALSE(has_period({zigzag(8, 1.0), "cos(t)"}, 2.0));
  EXPECT_FALSE(has_period({zigzag(8, 0.9), "0"}, 2.0));
  EXPECT_FALSE(has_period({zigzag(8, 1.0), "0"}, 1.0));
  EXPECT_FALSE(has_period({zigzag(3, 1.0), "0"}, 2.0));
  EXPECT_TRUE(has_period({zigzag(3, 1.0), "0"}, 2.0, 6.0));
  EXPECT_EQ(period_of({zigzag(8, 1.0), "cos(pi*t)"}).value(), 2.0);
  // A point of the last period that is looked at may have none a period before it.
  const std::string seven = zigzag(7, 1.0) + ";15 1;15.5 ";
  EXPECT_TRUE(has_period({seven + "0.5;16 0", "0"}, 2.0));
  EXPECT_FALSE(has_period({seven + "0.6;16 0", "0"}, 2.0));
}

std::vector<double> breaks(const std::string& text, double final_time,
                           std::span<const double> given) {
  return base::breaks({{"force", function(text)}}, final_time, given);
}

std::string refusal(const std::string& text) {
  return given::mistake([&] { (void)breaks(text, 10.0, {}); });
}

TEST(Breaks, are_the_corners_of_tables_and_of_waves_of_affine_arguments_or_given) {
  struct Case {
    const char* text;
    double final_time;
    std::vector<double> times;
    std::vector<double> given = {};
  };
  for (const auto& [text, final_time, times, given] : std::initializer_list<Case>{
           {"0.45*cos(0.5*t)", 10.0, {}},
           {"exp(-t^2)*sin(1e-3*t)+2*pi*t", 10.0, {}},
           {"square(0.3)", 3.0, {}},
           {"triangle(t)", 2.0, {0.25, 0.75, 1.25, 1.75}},
           {"square(t)", 2.0, {0.5, 1.0, 1.5}},
           {"0.3*sawtooth(0.5*t/(2*pi)) + cos(t)", 30.0, {2 * pi, 6 * pi}},
           {"square(0.25 - t/2)", 3.0, {0.5, 1.5, 2.5}},
           {"square(t) + sawtooth(3*t/3)", 1.2, {0.5, 1.0}},  // the same corner counts once
           {"points:0 1; 0.5 2; 3 4; 20 1", 10.0, {0.5, 3.0}},
           // Given breaks make any expression trusted; they are sorted and kept within the run.
           {"abs(t-2)+abs(t-7)", 10.0, {2.0, 7.0}, {7.0, 2.0, 0.0, 12.0}},
           {"square(t^2)", 10.0, {4.0}, {4.0}}}) {
    SCOPED_TRACE(text);
    const std::vector<double> found = breaks(text, final_time, given);
    ASSERT_EQ(found.size(), times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_NEAR(found[i], times[i], 1e-13 * times.back());
    }
  }
  // 1e15 + 10.06 is 1e15 + 10 in doubles, which have eighths there: a corner, before T.
  EXPECT_EQ(breaks("square(t+1e15)", 10.06, {}).size(), 20U);
  EXPECT_EQ(breaks("square(t+1e15)", 10.06, {}).back(), 10.0);
  for (const char* text : {"square(t+1e17)", "triangle(-t-6e103)", "sawtooth(3*t+1e300)"}) {
    EXPECT_LE(breaks(text, 10.0, {}).size(), 61U) << text;  // an offset leaves no digit for more
  }
}

TEST(Breaks, refuses_what_is_not_smooth_everywhere) {
  const std::pair<const char*, const char*> refused[] = {
      {"abs(sin(t))", "abs()"},    {"t < 3 ? 1 : 0", "as breaks"},
      {"square(sin(t))", "a*t+b"}, {"max(0,t)", "max()"},
      {"min(t,1)", "min()"},       {"sign(t-1)", "sign()"},
      {"rint(t)", "rint()"},       {"(t>=1)*t", ">="}};
  for (const auto& [text, words] : refused) {
    EXPECT_NE(refusal(text).find(words), std::string::npos) << text << ": " << refusal(text);
  }
}

TEST(Breaks, names_the_quantity_at_fault) {
  const auto quantity = [](const std::string& force, const std::string& base) {
    const std::string said = given::mistake([&] {
      (void)base::breaks({{"force", function(force)}, {"base-acceleration", function(base)}}, 10.0,
                         {});
    });
    return said.substr(0, said.find(':'));
  };
  EXPECT_EQ(quantity("abs(t)", "cos(t)"), "force");
  EXPECT_EQ(quantity("cos(t)", "abs(t)"), "base-acceleration");
  EXPECT_EQ(quantity("cos(t)", "square(1e7*t)"), "base-acceleration");
}

TEST(Breaks, bounds_the_corners_of_all_waves_together) {
  EXPECT_EQ(breaks("square(4e4*t)", 10.0, {}).size(), 799999);
  EXPECT_EQ(refusal("square(2e5*t)+square(1e5*t)"), "");
  EXPECT_NE(refusal("square(4e5*t)+square(4e5*t)").find("10^7 corners"), std::string::npos);
}

}  // namespace masing::test_periodicity
