// Bounds of expressions: the Taylor coefficients of every function against Cauchy's integral,
// values and slopes where functions have branches, and the narrow features that bounds are there to
// find. fuzz_bounds compares them with Arb.
#include "base/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/function.hpp"
#include "base/smooth_pieces.hpp"
#include "base/text.hpp"

namespace masing::test_bounds {

using base::Bounds;
using base::Enclosure;
using base::Function;
using base::SmoothPieces;

Function function(const std::string& text) {
  return {text, 't'};
}

using Complex = std::complex<double>;

/// A function of u and v in the language and in C++, analytic about u, v in [0.8, 2.1].
struct Analytic {
  const char* text;
  Complex (*value)(Complex u, Complex v);
};

const Analytic analytic[] = {
    {"-U+U*V-3", [](Complex u, Complex v) { return u * v - u - 3.0; }},
    {"U/V", [](Complex u, Complex v) { return u / v; }},
    {"U^V", [](Complex u, Complex v) { return std::exp(v * std::log(u)); }},
    {"U^2+V^3", [](Complex u, Complex v) { return u * u + v * v * v; }},
    {"U^-2+V^7", [](Complex u, Complex v) { return 1.0 / (u * u) + std::pow(v, 7); }},
    {"U^0.5-V^-1.3", [](Complex u, Complex v) { return std::sqrt(u) - std::pow(v, -1.3); }},
    {"2^U", [](Complex u, Complex) { return std::exp(std::log(2.0) * u); }},
    {"sin(U)-cos(V)", [](Complex u, Complex v) { return std::sin(u) - std::cos(v); }},
    {"tan(U/2)", [](Complex u, Complex) { return std::tan(u / 2.0); }},
    {"asin(U/2)-atan(V)", [](Complex u, Complex v) { return std::asin(u / 2.0) - std::atan(v); }},
    {"acos(U/2)", [](Complex u, Complex) { return std::acos(u / 2.0); }},
    {"atan2(U,V)", [](Complex u, Complex v) { return std::atan(u / v); }},
    {"atan2(U,-V)", [](Complex u, Complex v) { return M_PI - std::atan(u / v); }},
    {"sinh(U)-cosh(V)", [](Complex u, Complex v) { return std::sinh(u) - std::cosh(v); }},
    {"tanh(U)-asinh(V)", [](Complex u, Complex v) { return std::tanh(u) - std::asinh(v); }},
    {"acosh(U+1)", [](Complex u, Complex) { return std::acosh(u + 1.0); }},
    {"atanh(U/2)", [](Complex u, Complex) { return std::atanh(u / 2.0); }},
    {"ln(U)+log(V)", [](Complex u, Complex v) { return std::log(u) + std::log(v); }},
    {"log2(U)+log10(V)",
     [](Complex u, Complex v) { return std::log(u) / std::log(2.0) + std::log10(v); }},
    {"exp(U)-sqrt(V)", [](Complex u, Complex v) { return std::exp(u) - std::sqrt(v); }},
    {"sum(U,V,U)+avg(U,V,U,V,V)", [](Complex u, Complex v) { return 2.4 * u + 1.6 * v; }},
    {"min(U,9)-max(V,-9)+abs(U)-abs(-V)", [](Complex u, Complex v) { return 2.0 * (u - v); }},
    {"sign(U)+rint(V/9)+square(U/9)", [](Complex, Complex) { return Complex(2.0); }},
    {"triangle(U/9)+sawtooth(V/9)", [](Complex u, Complex v) { return (4.0 * u + 2.0 * v) / 9.0; }},
    {"triangle(U/9+0.4)", [](Complex u, Complex) { return 2.0 - 4.0 * (u / 9.0 + 0.4); }},
    {"U<9&&V>0||U==V?U*U:V", [](Complex u, Complex) { return u * u; }},
    {"U>=9||V<=0&&U!=V?U:V*V", [](Complex, Complex v) { return v * v; }}};

/// Σ f(t + r e^iθ) e^-ikθ over the circle is r^k f⁽ᵏ⁾(t)/k!, by Cauchy: all functions of one
/// argument are applied to u = 1.3 + sin(t)/2 and v = 1.7 + cos(t)·0.4, which have all powers.
TEST(Bounds, are_the_taylor_coefficients_that_cauchys_integral_gives) {
  constexpr int points = 128;
  constexpr double radius = 0.9;
  for (const auto& [text, value] : analytic) {
    std::string whole;
    for (const char* each = text; *each != 0; ++each) {
      whole += *each == 'U'   ? "(1.3+sin(t)/2)"
               : *each == 'V' ? "(1.7+cos(t)*0.4)"
                              : std::string(1, *each);
    }
    const Function f = function(whole);
    for (const double t : {-0.4, 0.2, 0.7}) {
      const auto at = base::series_of(f.operations(), t, t);
      const auto about = base::series_of(f.operations(), t - 0.01, t + 0.003);
      EXPECT_EQ(at.known, base::Known::smooth) << text;
      const double by_hand = value(1.3 + std::sin(t) / 2, 1.7 + std::cos(t) * 0.4).real();
      EXPECT_NEAR(f(t), by_hand, 4e-15 * (1 + std::abs(by_hand))) << text;
      std::vector<Complex> on_circle;
      double largest = 0.0;
      for (int j = 0; j < points; ++j) {
        const Complex z = t + std::polar(radius, 2 * M_PI * j / points);
        on_circle.push_back(value(1.3 + std::sin(z) / 2.0, 1.7 + std::cos(z) * 0.4));
        largest = std::max(largest, std::abs(on_circle.back()));
      }
      for (int k = 0; k <= base::taylor_order; ++k) {
        double sum = 0.0;
        for (int j = 0; j < points; ++j) {
          sum += (on_circle[j] * std::polar(1.0 / points, -2 * M_PI * j * k / points)).real();
        }
        const double power = std::pow(radius, k);
        const double rounding = 1e-13 * largest;
        const Enclosure point = at.coefficient(k);
        EXPECT_NEAR(point.low * power, sum, rounding) << text << " at " << t << ", " << k;
        EXPECT_NEAR(point.high * power, sum, rounding) << text << " at " << t << ", " << k;
        const Enclosure around = about.coefficient(k);
        EXPECT_LE(around.low * power, sum + rounding) << text << " about " << t << ", " << k;
        EXPECT_GE(around.high * power, sum - rounding) << text << " about " << t << ", " << k;
        EXPECT_LE((around.high - around.low) * power, largest) << text << ", " << k;
      }
    }
  }
}

/// On random intervals the values at eleven places lie in the bounds, but for the rounding of f;
/// where it is smooth, also the slopes of the chords, which a jump or a kink would make wrong.
TEST(Bounds, hold_the_values_and_the_chords_of_functions_with_branches_and_poles) {
  std::mt19937_64 random(7);
  for (const std::string& text :
       base::split("tan(0.4*t) asin(t/4) acosh(1+t) atan2(t,1-t) atanh(t/4) log2(t)+sqrt(4-t) "
                   "sign(t)+rint(t) abs(t)^1.5 triangle(t)+square(t/3)-sawtooth(0.7*t) "
                   "triangle(t) square(t) sawtooth(t) min(t,1,t^3)+max(t,-t) avg(t,t^2,1) "
                   "t<1?t:2-t t<=1||t>=2?1:-1 t!=1&&t>0?t^2:t 1/(t^2-1) 2^t+t^-2+(9+t)^t exp(-t^2)",
                   ' ')) {
    const Function f = function(text);
    for (int i = 0; i < 300; ++i) {
      const double first = std::uniform_real_distribution<>(-5.0, 5.0)(random);
      const double width = std::exp(std::uniform_real_distribution<>(-20.0, 1.0)(random));
      const Bounds bounds = f.bounds(first, first + width);
      double before = 0.0;
      for (int j = 0; j <= 10; ++j) {
        const double value = f(first + width * j / 10);
        const double rounding = 1e-13 * (1.0 + std::abs(value));
        const auto& [low, high] = bounds.value;
        ASSERT_FALSE(value < low - rounding || value > high + rounding)
            << text << " on [" << first << ", " << first + width << "]: " << value;
        if (bounds.smooth && j > 0) {
          const double slope = (value - before) / (width / 10);
          const double of_slope = 20 * rounding / width + 1e-13 * std::abs(first * slope) / width;
          ASSERT_GE(slope, bounds.slope.low - of_slope) << text << " from " << first;
          ASSERT_LE(slope, bounds.slope.high + of_slope) << text << " from " << first;
        }
        before = value;
      }
    }
  }
}

TEST(Bounds, are_those_of_the_shape_on_any_scale) {
  // On [0, 1/w] Taylor's remainder is |sin(1)|/16! 2⁻¹⁶ at most, whatever the scale of time.
  for (const double w : {1e-200, 1.0, 1e200}) {
    const Bounds bounds = Function("sin(w*t)", 't').bound({{"w", w}}).bounds(0.0, 1 / w);
    EXPECT_TRUE(bounds.smooth) << w;
    EXPECT_NEAR(bounds.remainder(1 / w), std::sin(1.0) / std::tgamma(17.0) / 65536, 1e-20) << w;
    EXPECT_NEAR(bounds.slope.high, w, 1e-13 * w);
  }
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
    EXPECT_TRUE(product.high > 0.0 && product.high < 1e-300);
  }
  EXPECT_LT((-small * small).low, 0.0);
  EXPECT_EQ((-small * small).high, 0.0);
  for (const Enclosure& product :
       {square_of(large), large * large, base::exponential_of({1e3, 1e3})}) {
    EXPECT_EQ(product.high, HUGE_VAL);
    EXPECT_TRUE(product.low > 1e307 && std::isfinite(product.low));
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
  // A case that is not taken does not count.
  EXPECT_TRUE(smooth("t<2?t:abs(t-0.5)", 0.3, 0.7));
  EXPECT_TRUE(smooth("(t-3)^(4/2)", 1.0, 2.0)) << "a whole exponent";
  EXPECT_FALSE(smooth("t^(1/3)", 0.0, 1e-9)) << "a vertical tangent";
  EXPECT_NEAR(function("(t-3)^201").bounds(2.0, 2.0).value.low, -1.0, 1e-13);
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

TEST(Function, has_no_value_at_a_pole_and_beyond_the_domain) {
  for (const std::string text :
       {"1/t", "sqrt(t-1)", "ln(t)", "asin(t-2)", "0/t", "atanh(1+t)", "t^-0.5", "exp(1000+t)"}) {
    EXPECT_FALSE(std::isfinite(function(text)(0.0))) << text;
  }
}

TEST(SmoothPieces, names_the_quantity_at_fault) {
  const auto is_said = [](const std::string& words, const auto& work) {
    try {
      work();
    } catch (const base::UserError& error) {
      EXPECT_TRUE((error.quantity() + ": " + error.fault()).starts_with(words)) << error.fault();
      return;
    }
    ADD_FAILURE() << "no fault: " << words;
  };
  const Function f = function("1/(t-2)");
  SmoothPieces force(f, {}, 10.0, [f](double first, double last) { return f.bounds(first, last); });
  const SmoothPieces position(function("1/t"), {}, 10.0, {}, {"position", "x(t)"});
  is_said("force: F(t) = inf at t = 2; it must be finite", [&] { (void)force(2.0); });
  is_said("force: F(t) has no bound near t = ",
          [&] { (void)force.try_to_resolve(2.0 - 1e-15, 2.0 + 1e-15, 1e-12); });
  is_said("force: F(t) near t = 3 is not smooth", [&] { force.throw_unresolved(3.0); });
  is_said("position: x(t) = ", [&] { (void)position(0.0); });
}

}  // namespace masing::test_bounds
