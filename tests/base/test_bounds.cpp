// Bounds of expressions: that they hold the values and slopes of every function, in closed form,
// and around the narrow features they are there to find; and that a second interval arithmetic,
// which shares no code with them, agrees. fuzz_bounds compares them with that and with Arb.
#include "base/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "base/enclosure.hpp"
#include "base/error.hpp"
#include "base/function.hpp"
#include "base/smooth_pieces.hpp"
#include "base/text.hpp"
#include "support/plain_range.hpp"

namespace masing::test_bounds {

using base::Bounds;
using base::Enclosure;
using base::Function;
using base::SmoothPieces;

Function function(const std::string& text) {
  return {text, 't'};
}

/// On random intervals the values at eleven places lie in the plain range, but for the rounding of
/// f, and in the bounds, which hold some of the plain range of each tenth of the interval.
TEST(PlainRange, holds_the_values_of_every_function_and_agrees_with_the_bounds) {
  std::mt19937_64 random(7);
  for (const std::string& text : base::split(
           "sin(3*t)-cos(t)^2 tan(0.4*t) asin(t/9)+acos(t/9) atan(t)*t atan2(t,1-t) "
           "sinh(t)-cosh(t) tanh(t)/(1+t^2) asinh(t)+acosh(1+t^2) atanh(t/9) "
           "log2(9+t)+log10(9+t)-ln(9+t) exp(-t^2) sqrt(9+t) sign(t)+rint(t) abs(t)^1.5 "
           "triangle(t)+square(t/3)-sawtooth(0.7*t) min(t,1,t^3)+max(t,-t) sum(t,2)+avg(t,t^2,1) "
           "t<1?t:2-t t<=1||t>=2?1:-1 t!=1&&t>0?t^2:t 1/(t^2-1) 2^t+t^-2+(9+t)^t",
           ' ')) {
    const Function f = function(text);
    for (int i = 0; i < 300; ++i) {
      const double first = std::uniform_real_distribution<>(-5.0, 5.0)(random);
      const double width = std::exp(std::uniform_real_distribution<>(-20.0, 1.0)(random));
      const Enclosure plain = support::plain_range(f.operations(), first, first + width);
      const Enclosure bounds = f.bounds(first, first + width).value;
      for (int j = 0; j <= 10; ++j) {
        const double t = first + width * j / 10;
        const double value = f(t);
        const double rounding = 1e-13 * (1.0 + std::abs(value));
        for (const auto& [low, high] : {plain, bounds}) {
          ASSERT_FALSE(value < low - rounding || value > high + rounding)
              << text << " on [" << first << ", " << first + width << "]: " << value << " in ["
              << low << ", " << high << "]";
        }
        const Enclosure part = support::plain_range(f.operations(), t, t + width / 10);
        ASSERT_FALSE(j < 10 &&
                     (part.high < bounds.low - rounding || part.low > bounds.high + rounding))
            << text << " on [" << t << ", " << t + width / 10 << "]: [" << part.low << ", "
            << part.high << "] outside [" << bounds.low << ", " << bounds.high << "]";
      }
    }
  }
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
  const double scale = std::pow(pole.unit, 16);
  EXPECT_NEAR(pole.top.low / scale, 1.0, 1e-12);
  EXPECT_NEAR(pole.top.high / scale, std::pow(2.0, 17), 1e-8);
}

TEST(Bounds, are_those_of_the_shape_on_any_scale) {
  // On [0, 1/w] Taylor's remainder is |sin(1)|/16! 2⁻¹⁶ at most, whatever the scale of time.
  for (const double w : {1e-200, 1e-24, 1.0, 1e22, 1e200}) {
    const Function wave("sin(w*t)", 't', {"w"});
    const Bounds bounds = wave.bound({{"w", w}}).bounds(0.0, 1 / w);
    EXPECT_TRUE(bounds.smooth) << w;
    EXPECT_NEAR(bounds.remainder(1 / w), std::sin(1.0) / std::tgamma(17.0) / 65536, 1e-20) << w;
    EXPECT_NEAR(bounds.slope.high, w, 1e-13 * w);
  }
}

TEST(Bounds, know_that_a_function_equals_itself) {
  for (const char* same : {"max(sin(t),sin(t))", "min(max(t,0.3),t)", "max(t,abs(t))",
                           "max(-t,-abs(t))", "t > 0.2 ? max(t^2,t^2) : 0"}) {
    const Bounds bounds = function(same).bounds(0.4, 0.5);
    EXPECT_TRUE(bounds.smooth) << same;
    EXPECT_LT(bounds.remainder(0.1), 1e-30) << same;
  }
  // On this interval both operands have the same bounds.
  EXPECT_FALSE(function("max(sin(99*t),cos(99*t))").bounds(0.4, 0.5).smooth);
}

TEST(Bounds, find_pulses_however_narrow) {
  const Function pulse = function("0.3*sin(t)+exp(-((t-0.123456789)/1e-8)^2)");
  EXPECT_GT(pulse.bounds(0.0, 1.0).remainder(1.0), 0.5);
  EXPECT_LT(pulse.bounds(0.13, 0.63).remainder(0.5), 1e-13) << "beside it, it is a sine";
  for (const char* far : {"exp(-((t-0.1)/1e-12)^2)", "1/cosh((t-0.1)/1e-12)^2"}) {
    EXPECT_LT(function(far).bounds(0.13, 0.63).remainder(0.5), 1e-300) << far;
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
  for (const Enclosure& product :
       {square_of(large), large * large, base::exponential_of({1e3, 1e3})}) {
    EXPECT_EQ(product.high, std::numeric_limits<double>::infinity());
    EXPECT_GT(product.low, 1e307);
    EXPECT_LE(product.low, std::numeric_limits<double>::max());
  }
  EXPECT_GT(base::exponential_of({-1e4, -1e3}).high, 0.0);
}

TEST(Bounds, know_conditions_of_what_is_undefined) {
  // acosh(-2) is not a number, and a comparison with that is false.
  for (const std::string text : {"acosh(-t)>=0?1:3", "sqrt(-t)>=0?1:3", "log(-t)<5?1:3"}) {
    const Function f = function(text);
    EXPECT_EQ(f(2.0), 3.0) << text;
    EXPECT_TRUE(f.bounds(-2.0, 2.0).value.contains(3.0)) << text;
    EXPECT_FALSE(f.bounds(-2.0, 2.0).smooth) << text;
  }
  for (const std::string text : {"(0.5&&1)?t:0", "(0||0.25)?t:0", "(0.5&&t)?t:0"}) {
    EXPECT_EQ(function(text)(3.0), 3.0) << "any number but 0 is true: " << text;
    EXPECT_TRUE(function(text).bounds(3.0, 3.0).value.contains(3.0)) << text;
  }
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
  const Enclosure inside = function("points:0 0; 1 5; 2 -3; 3 0").bounds(0.5, 2.5).value;
  EXPECT_TRUE(inside.contains(5.0) && inside.contains(-3.0)) << "the points inside the interval";
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
  // e^-e^u of u from 300 to 6000, where coefficients of e^u overflow, and e^u does
  const Bounds step = function("exp(-exp(t/1e-4))").bounds(0.03, 0.6);
  EXPECT_TRUE(step.smooth);
  EXPECT_LT(step.remainder(0.57), 1e-300);
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

/// Of what only rises between them the ends are the range; where it jumps, they are not.
TEST(PlainRange, is_that_of_the_ends_of_a_branch) {
  const auto range = [](const std::string& text, double first, double last) {
    return support::plain_range(function(text).operations(), first, last);
  };
  for (const double first : {-1.5, 1.6, 4.8}) {  // tan has its poles at π/2 + jπ
    const Enclosure branch = range("tan(t)", first, first + 3.0);
    EXPECT_EQ(branch.low, std::tan(first));
    EXPECT_EQ(branch.high, std::tan(first + 3.0));
    EXPECT_FALSE(range("tan(t)", first + 1.6, first + 3.2).is_finite());
  }
  // The angle jumps from -π to π at y = 0, x < 0, which belongs to π.
  for (const char* text : {"atan2(t,-1)", "atan2(t,-1-t^2)", "atan2(-t^2,t)"}) {
    const Enclosure angles = range(text, -1.0, 0.0);
    for (const double t : {-1.0, -0.5, -1e-9, 0.0}) {
      EXPECT_TRUE(angles.contains(function(text)(t))) << text << " at " << t;
    }
  }
  // Any number to the power 0 is 1, also 0.
  for (const auto& [first, last] : {std::pair(0.0, 0.0), {-1.0, 2.0}, {3.0, 4.0}}) {
    EXPECT_EQ(range("t^0", first, last).low, 1.0);
    EXPECT_EQ(range("t^0", first, last).high, 1.0);
  }
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

TEST(SmoothPieces, names_the_quantity_at_fault) {
  const auto fault = [](const auto& work) {
    try {
      work();
    } catch (const base::UserError& error) {
      return error.quantity() + ": " + error.fault();
    }
    return std::string();
  };
  const auto begins = [](const std::string& said, const std::string& words) {
    return said.starts_with(words) ? testing::AssertionSuccess()
                                   : testing::AssertionFailure() << said;
  };
  const Function f = function("1/(t-2)");
  SmoothPieces force(f, {}, 10.0, [f](double first, double last) { return f.bounds(first, last); });
  EXPECT_EQ(fault([&] { (void)force(2.0); }),
            "force: F(t) = inf at t = 2; it must be finite on [0, T]");
  EXPECT_TRUE(begins(fault([&] { (void)force.try_to_resolve(2.0 - 1e-15, 2.0 + 1e-15, 1e-12); }),
                     "force: F(t) has no bound near t = "));
  EXPECT_TRUE(
      begins(fault([&] { force.throw_unresolved(3.0); }), "force: F(t) near t = 3 is not smooth"));
  const SmoothPieces position(function("1/t"), {}, 10.0, {}, {"position", "x(t)"});
  EXPECT_TRUE(begins(fault([&] { (void)position(0.0); }), "position: x(t) = "));
}

}  // namespace masing::test_bounds
