// Plain ranges: random expressions against their values; and what they
// show that values at nine places do not.
#include "base/smooth_pieces.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "base/function.hpp"

namespace masing::test_plain_range {

namespace {

using base::Enclosure;
using base::Function;

Function function(const std::string& text) {
  return {text, 't'};
}

bool shows_all(const std::string& text, double first, double last, double impulse) {
  const Function f = function(text);
  return base::shows_all([&f](double t) { return f(t); },
                         [&f](double a, double b) { return f.range(a, b); }, first, last, impulse);
}

}  // namespace

TEST(PlainRange, holds_every_value) {
  std::mt19937_64 random(7);
  for (const std::string text : {"0.45*cos(0.5*t)",
                                 "sin(3*t)-cos(t)^2",
                                 "tan(0.4*t)",
                                 "asin(t/9)+acos(t/9)",
                                 "atan(t)*t",
                                 "atan2(t,1-t)",
                                 "sinh(t)-cosh(t)",
                                 "tanh(t)/(1+t^2)",
                                 "asinh(t)+acosh(1+t^2)",
                                 "atanh(t/9)",
                                 "log2(9+t)+log10(9+t)-ln(9+t)",
                                 "exp(-t^2)",
                                 "sqrt(9+t)",
                                 "sign(t)+rint(t)",
                                 "abs(t)^1.5",
                                 "triangle(t)+square(t/3)-sawtooth(0.7*t)",
                                 "min(t,1,t^3)+max(t,-t)",
                                 "sum(t,2)+avg(t,t^2,1)",
                                 "t<1?t:2-t",
                                 "t<=1||t>=2?1:-1",
                                 "t!=1&&t>0?t^2:t",
                                 "1/(t^2-1)",
                                 "2^t+t^-2+(9+t)^t"}) {
    const Function f = function(text);
    for (int i = 0; i < 300; ++i) {
      const double first = std::uniform_real_distribution<>(-5.0, 5.0)(random);
      const double width = std::exp(std::uniform_real_distribution<>(-20.0, 1.0)(random));
      const Enclosure range = f.range(first, first + width);
      for (int j = 0; j <= 10; ++j) {
        const double value = f(first + width * j / 10);
        const double rounding = 1e-13 * (1.0 + std::abs(value));
        EXPECT_FALSE(value < range.low - rounding || value > range.high + rounding)
            << text << " on [" << first << ", " << first + width << "]: " << value << " in ["
            << range.low << ", " << range.high << "]";
      }
    }
  }
}

TEST(PlainRange, closes_in_on_the_values) {
  const Function f = function("sin(3*t)-cos(t)^2+t*exp(-t)");
  const Enclosure range = f.range(0.7, 0.7 + 1e-6);
  EXPECT_LT(range.high - range.low, 1e-5);
}

TEST(PlainRange, shows_a_pulse_that_values_miss) {
  for (const std::string around : {"0", "0.3*sin(t)", "t*cos(t)-sin(t)"}) {
    EXPECT_TRUE(shows_all(around, 0.0, 1.0, 1e-6)) << around;
    for (const std::string pulse :
         {"3e4*exp(-((t-0.123456789)/1e-5)^2)", "1e5/cosh((t-0.7)/1e-6)^2",
          "30*exp(-((t-0.4)/0.001)^2)+3e4*exp(-((t-0.9)/1e-5)^2)", "1e5/(1+((t-0.3)/1e-6)^2)^2"}) {
      EXPECT_FALSE(shows_all(around + "+" + pulse, 0.0, 1.0, 1e-6)) << around << "+" << pulse;
    }
  }
  // beside it there is nothing
  EXPECT_TRUE(shows_all("0.3*sin(t)+3e4*exp(-((t-0.123456789)/1e-5)^2)", 0.2, 1.0, 1e-6));
}

TEST(PlainRange, shows_jumps_and_kinks) {
  EXPECT_FALSE(shows_all("t<0.3?0:1", 0.0, 1.0, 1e-6));
  EXPECT_FALSE(shows_all("abs(t-0.3)", 0.0, 1.0, 1e-6));
  EXPECT_TRUE(shows_all("abs(t-0.3)", 0.3, 1.0, 1e-6));
}

TEST(PlainRange, shows_nothing_where_there_is_no_value) {
  EXPECT_FALSE(shows_all("log(t)", -1.0, 1.0, 1e-6));
  EXPECT_FALSE(shows_all("1/t", 0.0, 1.0, 1e-6));
}

}  // namespace masing::test_plain_range
