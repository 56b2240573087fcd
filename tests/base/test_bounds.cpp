// Bounds of expressions over intervals: random expressions against their values and differences,
// computed one by one; and the narrow features they are there to find.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "base/enclosure.hpp"
#include "base/function.hpp"

namespace masing::base {

namespace {

Function function(const std::string& text) {
  return {text, 't'};
}

class RandomExpression {
 public:
  explicit RandomExpression(unsigned seed) : random_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random_);
  }

  std::string operator()(int depth) {
    if (depth == 0) {
      switch (random_() % 3) {
        case 0:
          return "t";
        case 1:
          return number();
        default:
          return fmt::format("({}*t-{})", number(), number());
      }
    }
    const std::string a = (*this)(depth - 1);
    const std::string b = (*this)(depth - 1);
    const std::array all{fmt::format("({}+{})", a, b),
                         fmt::format("({}-{})", a, b),
                         fmt::format("({})*({})", a, b),
                         fmt::format("({})/(2.5+sin({}))", a, b),
                         fmt::format("(-({})^2)", a),
                         fmt::format("({}<{}?{}:t)", a, b, b),
                         fmt::format("({}>={}||t<1&&{}!=2?{}:{})", a, b, a, a, b),
                         fmt::format("min({},{},0.3)", a, b),
                         fmt::format("avg(max({},{}),sum(t,1,{}))", a, b, a),
                         fmt::format("sqrt(1+({})^2)", a),
                         fmt::format("(1.5+({})^2)^{}", a, number()),
                         fmt::format("(1.5+({})^2)^(-{})", a, b),
                         fmt::format("ln(2+abs({}))*log10(3+sign({}))", a, b),
                         fmt::format("atan2({},{})", a, b),
                         fmt::format("asin(0.9*sin({}))+acos(0.5*cos({}))", a, b),
                         fmt::format("acosh(2+({})^2)-log2(4+tanh({}))", a, b),
                         fmt::format("atanh(0.7*sin({}))", a),
                         fmt::format("exp(sin({}))+tan(0.4*cos({}))", a, b),
                         fmt::format("sinh(0.2*{})-cosh(0.1*{})", a, b),
                         fmt::format("triangle({})+square({})", a, b),
                         fmt::format("sawtooth({})*rint({})", a, b),
                         fmt::format("atan({})+asinh(abs({}))", a, b)};
    return all[random_() % all.size()];
  }

 private:
  std::string number() { return fmt::format("{:.6g}", uniform(0.1, 3.0)); }

  std::mt19937 random_;
};

TEST(Bounds, hold_the_values_and_the_slopes_of_random_expressions) {
  RandomExpression random(20);
  int smooth = 0;
  constexpr int tries = 4000;
  for (int i = 0; i < tries; ++i) {
    const std::string text = random(1 + i % 3);
    const Function f = function(text);
    const double first = random.uniform(-3.0, 3.0);
    const double width = std::pow(10.0, random.uniform(-6.0, 0.5));
    const Bounds bounds = f.bounds(first, first + width);
    // Some roundings of what is added up.
    const double rounding = 1e-11 * (1.0 + bounds.value.magnitude());
    for (const double share : {0.0, 0.17, 0.4, 0.71, 0.93, 1.0}) {
      const double t = first + share * width;
      const double value = f(t);
      if (std::isfinite(value) && std::isfinite(rounding)) {
        ASSERT_GE(value, bounds.value.low - rounding) << text << " at " << t;
        ASSERT_LE(value, bounds.value.high + rounding) << text << " at " << t;
      }
    }
    if (bounds.smooth) {
      ++smooth;
      const double h = 0.01 * width;
      const double t = first + random.uniform(0.0, 0.98) * width;
      const double slope = (f(t + h) - f(t)) / h;  // a slope somewhere in between
      ASSERT_GE(slope, bounds.slope.low - rounding / h) << text << " at " << t;
      ASSERT_LE(slope, bounds.slope.high + rounding / h) << text << " at " << t;
    }
  }
  EXPECT_GT(smooth, tries / 2);
}

TEST(Bounds, are_taylor_coefficients_in_closed_form) {
  // sin(3t)⁽¹⁶⁾/16! = 3¹⁶ sin(3t)/16!, at a point
  const Bounds sine = function("sin(3*t)").bounds(0.2, 0.2);
  const double expected = std::pow(3.0, 16) * std::sin(0.6) / std::tgamma(17.0);
  EXPECT_NEAR(sine.top.low, expected, 1e-13 * expected);
  EXPECT_NEAR(sine.top.high, expected, 1e-13 * expected);
  EXPECT_NEAR(sine.slope.low, 3 * std::cos(0.6), 1e-14);
  // (1/(1-t))⁽¹⁶⁾/16! = (1-t)⁻¹⁷, on an interval
  const Bounds pole = function("1/(1-t)").bounds(0.0, 0.5);
  EXPECT_NEAR(pole.top.low, 1.0, 1e-12);
  EXPECT_NEAR(pole.top.high, std::pow(2.0, 17), 1e-8);
}

TEST(Bounds, find_a_pulse_however_narrow) {
  const Function pulse = function("0.3*sin(t)+exp(-((t-0.123456789)/1e-8)^2)");
  EXPECT_GT(pulse.bounds(0.0, 1.0).remainder(1.0), 0.5);
  EXPECT_LT(pulse.bounds(0.13, 0.63).remainder(0.5), 1e-13) << "beside it, it is a sine";
}

TEST(Bounds, find_pulses_of_different_widths) {
  const std::string wide = "30*exp(-((t-5)/0.01)^2)";
  const std::string narrow = "3000*exp(-((t-8)/1e-4)^2)";
  for (const std::string& text :
       {wide + "+" + narrow, narrow + "+" + wide, "0+" + wide + "+" + narrow}) {
    const Function pulses = function(text);
    // An interval that neither parity nor symmetry favours, about each centre.
    for (const double width : {4.0, 1.0, 0.1}) {
      EXPECT_TRUE(pulses.bounds(8.0 - 0.3 * width, 8.0 + 0.7 * width).value.contains(3000.0));
      EXPECT_TRUE(pulses.bounds(5.0 - 0.3 * width, 5.0 + 0.7 * width).value.contains(30.0));
    }
    EXPECT_LT(pulses.bounds(8.1, 9.0).value.magnitude(), 1e-300);
  }
}

TEST(Enclosure, holds_what_underflows_and_overflows) {
  const Enclosure small{1e-200, 1e-200};
  const Enclosure large{1e200, 1e200};
  for (const Enclosure& product : {square_of(small), small * small, small / large}) {
    EXPECT_GE(product.low, 0.0);
    EXPECT_GT(product.high, 0.0);
    EXPECT_LT(product.high, 1e-300);
  }
  EXPECT_LT((-small * small).low, 0.0);
  EXPECT_EQ((-small * small).high, 0.0);
  for (const Enclosure& product : {square_of(large), large * large, exponential_of({1e3, 1e3})}) {
    EXPECT_EQ(product.high, std::numeric_limits<double>::infinity());
    EXPECT_GT(product.low, 1e307);
    EXPECT_LE(product.low, std::numeric_limits<double>::max());
  }
  EXPECT_GT(exponential_of({-1e4, -1e3}).high, 0.0);
}

TEST(Bounds, know_conditions_of_what_is_undefined) {
  // acosh(-2) is not a number, and a comparison with that is false.
  for (const std::string text : {"acosh(-t)>=0?1:3", "sqrt(-t)>=0?1:3", "log(-t)<5?1:3"}) {
    const Function f = function(text);
    EXPECT_EQ(f(2.0), 3.0) << text;
    EXPECT_TRUE(f.bounds(-2.0, 2.0).value.contains(3.0)) << text;
    EXPECT_FALSE(f.bounds(-2.0, 2.0).smooth) << text;
  }
  EXPECT_TRUE(std::isnan(function("acosh(-t)")(2.0)));
}

TEST(Condition, takes_any_number_but_0_for_true) {
  for (const std::string text : {"(0.5&&1)?t:0", "(0||0.25)?t:0", "(0.5&&t)?t:0"}) {
    EXPECT_EQ(function(text)(3.0), 3.0) << text;
    EXPECT_TRUE(function(text).bounds(3.0, 3.0).value.contains(3.0)) << text;
  }
  EXPECT_EQ(function("(0.5&&0)?t:1")(3.0), 1.0);
}

TEST(Bounds, say_where_a_function_is_not_smooth) {
  const auto smooth = [](const std::string& text, double first, double last) {
    return function(text).bounds(first, last).smooth;
  };
  for (const std::string text :
       {"t<0.5?1:2", "abs(t-0.5)", "max(t,0.5)", "square(t)", "sawtooth(t)", "triangle(t+0.25*3)",
        "sign(t-0.5)", "rint(t)", "1/(t-0.5)", "sqrt(abs(t-0.5))", "t>=0.5", "tan(pi*t)"}) {
    EXPECT_FALSE(smooth(text, 0.3, 0.7)) << text;
    EXPECT_TRUE(smooth(text, 0.3, 0.4999)) << text;
    EXPECT_TRUE(smooth(text, 0.5001, 0.7)) << text;
  }
  EXPECT_FALSE(smooth("points:0 0; 0.5 1; 1 0", 0.4, 0.6));
  EXPECT_TRUE(smooth("points:0 0; 0.5 1; 1 0", 0.5, 1.0));
  // a case that is not taken does not count
  EXPECT_TRUE(smooth("t<2?t:abs(t-0.5)", 0.3, 0.7));
}

TEST(Bounds, hold_where_parts_overflow_or_underflow) {
  // 1/cosh(u)² = 4 e^(-2u) to rounding for u > 20; and no slope is larger than twice the value.
  const Bounds far = function("1/cosh(1000*t)^2").bounds(0.1, 0.15);
  EXPECT_TRUE(far.smooth);
  EXPECT_LE(far.value.low, 4 * std::exp(-300.0));
  EXPECT_GE(far.value.high, 4 * std::exp(-200.0));
  EXPECT_LT(far.value.high, 4.001 * std::exp(-200.0));
  EXPECT_LT(far.slope.magnitude(), 2.001e3 * far.value.high);
  EXPECT_LT(function("1/cosh(1000*t)^2").bounds(1.0, 2.0).remainder(1.0), 1e-300);
}

TEST(Bounds, of_powers_are_those_of_their_whole_exponents) {
  const Bounds even = function("(t-3)^(4/2)").bounds(1.0, 2.0);
  EXPECT_TRUE(even.smooth);
  EXPECT_NEAR(even.value.high, 4.0, 1e-14);
  EXPECT_NEAR(function("(t-3)^201").bounds(2.0, 2.0).value.low, -1.0, 1e-13);
  // a vertical tangent: bounded, not smooth
  const Bounds root = function("t^(1/3)").bounds(0.0, 1e-9);
  EXPECT_FALSE(root.smooth);
  EXPECT_NEAR(root.value.high, 1e-3, 1e-15);
}

TEST(Function, has_a_value_where_a_part_of_it_overflows) {
  EXPECT_NEAR(function("exp(t)/(1+exp(t))")(1000.0), 1.0, 1e-9);
  EXPECT_NEAR(function("exp(t)/(1+exp(t))^2")(1000.0), 0.0, 1e-300);
  EXPECT_NEAR(function("ln(cosh(t))")(2000.0), 2000.0 - std::log(2.0), 1e-9);
  for (const std::string text :
       {"1/t", "sqrt(t-1)", "ln(t)", "asin(t-2)", "0/t", "atanh(1+t)", "t^-0.5"}) {
    EXPECT_FALSE(std::isfinite(function(text)(0.0))) << text;
  }
  EXPECT_FALSE(std::isfinite(function("exp(t)")(1000.0)));
}

}  // namespace

}  // namespace masing::base
