// The exact solution under forces as users write them: x of an oscillator that never slides against
// Duhamel's integral x(T) = ∫ sin(T - t) F(t) dt (m = k = 1), F in C++ and the integral by
// tanh-sinh quadrature between the places where F is not smooth; and poles, which are refused.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/function.hpp"
#include "slab/exact/oscillator_solution.hpp"
#include "slab/exact_support.hpp"

namespace masing::test_exact_forces {

using namespace exact_test;

constexpr double final_time = 10.0;

struct Force {
  std::string text;
  std::function<double(double)> value;
  std::vector<double> places;  ///< kinks, singularities and narrow features
};

SmoothPieces pieces_of(const std::string& text) {
  const base::Function force(text, 't');
  return {[force](double t) { return force(t); },
          {},
          final_time,
          [force](double a, double b) { return force.bounds(a, b); }};
}

double solved(const std::string& text) {
  return exact_at(*uniform_cells(1, 1.0, 1e3), {}, pieces_of(text), final_time).x;
}

double solved_by_second_method(const std::string& text) {
  return OscillatorSolution(*uniform_cells(1, 1.0, 1e3), {}, pieces_of(text), slab::checking({}))
      .at(final_time)
      .x;
}

double duhamel(const Force& force) {
  boost::math::quadrature::tanh_sinh<double> rule(12);
  std::vector<double> limits = force.places;
  for (int i = 0; i <= 20; ++i) {
    limits.push_back(0.05 * i * final_time);
  }
  std::ranges::sort(limits);
  double sum = 0.0;
  for (std::size_t i = 1; i < limits.size(); ++i) {
    if (limits[i] - limits[i - 1] > 1e-12) {
      const double half = 0.5 * (limits[i] - limits[i - 1]);
      const double middle = 0.5 * (limits[i] + limits[i - 1]);
      sum += half * rule.integrate(
                        [&](double z) {
                          const double t = middle + half * z;
                          return std::sin(final_time - t) * force.value(t);
                        },
                        1e-14);
    }
  }
  return sum;
}

double sech2(double u) {
  return std::pow(std::cosh(std::min(std::abs(u), 300.0)), -2.0);
}

std::vector<double> around(double t, double width) {
  return {t - 20 * width, t - 5 * width, t - width, t, t + width, t + 5 * width, t + 20 * width};
}

const double pi = std::acos(-1.0);

const std::vector<Force> forces{
    // Parts of these overflow.
    {"1/cosh(50*(t-3))^2", [](double t) { return sech2(50 * (t - 3)); }, around(3, 0.02)},
    {"4*exp(-200*(t-5))/(1+exp(-200*(t-5)))^2", [](double t) { return sech2(100 * (t - 5)); },
     around(5, 0.01)},
    {"exp(-((t-5)/0.01)^2)/exp(-((t-5.01)/0.01)^2)*exp(-((t-5)/0.005)^2)",
     // -a² + (a-1)² - 4a² = 1 - 2a - 4a²
     [](double t) {
       const double a = (t - 5) / 0.01;
       return std::exp(1 - 2 * a - 4 * a * a);
     },
     around(5, 0.01)},
    {"0.3*sin(t)+exp(-exp((t-0.4)/1e-4))",
     [](double t) { return 0.3 * std::sin(t) + std::exp(-std::exp((t - 0.4) / 1e-4)); },
     around(0.4, 1e-4)},
    {"ln(cosh(300*(t-5)))/300",
     [](double t) {
       const double u = 300 * std::abs(t - 5);
       return (u + std::log1p(std::exp(-2 * u)) - std::log(2.0)) / 300;
     },
     around(5, 1.0 / 300)},
    {"sqrt(cosh(1000*(t-2)))/cosh(1000*(t-2))",
     [](double t) { return std::sqrt(std::sqrt(sech2(1000 * (t - 2)))); }, around(2, 2e-3)},
    // These are not smooth.
    {"sqrt(t)", [](double t) { return std::sqrt(t); }, {}},
    {"t^0.1+t^2.7", [](double t) { return std::pow(t, 0.1) + std::pow(t, 2.7); }, {}},
    {"sqrt(abs(t-3))", [](double t) { return std::sqrt(std::abs(t - 3)); }, {3}},
    {"asin(sin(t))",
     [](double t) { return std::asin(std::sin(t)); },
     {pi / 2, 3 * pi / 2, 5 * pi / 2}},
    {"t<4?0.2*t:exp(-t)", [](double t) { return t < 4 ? 0.2 * t : std::exp(-t); }, {4}},
    {"min(t,2,10-t)+avg(1,t,3)",
     [](double t) {
       return std::min({t, 2.0, 10 - t}) + (4 + t) / 3;
     },
     {2, 8}},
    {"square(0.3*t)+triangle(0.21*t)-sawtooth(0.17*t)",
     [](double t) {
       return base::square(0.3 * t) + base::triangle(0.21 * t) - base::sawtooth(0.17 * t);
     },
     {0.5 / 0.3, 1 / 0.3, 1.5 / 0.3, 2 / 0.3, 2.5 / 0.3, 0.25 / 0.21, 0.75 / 0.21, 1.25 / 0.21,
      1.75 / 0.21, 0.5 / 0.17, 1.5 / 0.17}},
    {"square(t^2/20)",
     [](double t) { return base::square(t * t / 20); },
     {std::sqrt(10.0), std::sqrt(20.0), std::sqrt(30.0), std::sqrt(40.0), std::sqrt(50.0),
      std::sqrt(60.0), std::sqrt(70.0), std::sqrt(80.0), std::sqrt(90.0)}},
    {"points:0 0; 1 2; 1.5 -1; 9 3",
     [](double t) {
       return t < 1 ? 2 * t : t < 1.5 ? 2 - 6 * (t - 1) : t < 9 ? -1 + 4 * (t - 1.5) / 7.5 : 3.0;
     },
     {1, 1.5, 9}},
    // These are smooth.
    {"sin(50*(t-pi))/(50*(t-pi))",
     [](double t) {
       const double u = 50 * (t - pi);
       return u == 0 ? 1.0 : std::sin(u) / u;
     },
     {pi}},
    {"atanh(t/10.001)", [](double t) { return std::atanh(t / 10.001); }, {9, 9.9, 9.99, 9.999}},
    {"2^-t*(0.1+t)^sin(t)",
     [](double t) { return std::exp2(-t) * std::pow(0.1 + t, std::sin(t)); },
     {}},
    {"1e-6/(1e-6+(t-4)^2)",
     [](double t) { return 1e-6 / (1e-6 + std::pow(t - 4, 2)); },
     {3.9, 3.99, 3.997, 3.999, 4, 4.001, 4.003, 4.01, 4.1}}};

TEST(UsualForce, is_solved_by_both_methods) {
  for (const Force& force : forces) {
    SCOPED_TRACE(force.text);
    const double expected = duhamel(force);
    const double rounding = 1e-11 * std::max(1.0, std::abs(expected));
    EXPECT_NEAR(solved(force.text), expected, rounding);
    EXPECT_NEAR(solved_by_second_method(force.text), expected, 10 * rounding);
  }
}

struct Pulse {
  bool is_gauss;  ///< else 1/cosh²
  double size;
  double centre;
  double width;
};

struct Pulses {
  std::string text;
  double x = 0.0;  ///< x(T), in closed form
  double rounding = 0.0;
};

/// The sum of pulses of an impulse I = ∫F dt about c, of a width w: ∫ sin(T - t) F dt is
/// I e^(-w²/4) sin(T - c) of Gauss's, I (πw/2)/sinh(πw/2) sin(T - c) of 1/cosh².
Pulses sum_of(const std::vector<Pulse>& all) {
  Pulses sum;
  for (const auto& [is_gauss, size, centre, width] : all) {
    const double z = pi * width / 2;
    const double impulse = is_gauss ? size * width * std::sqrt(pi) * std::exp(-width * width / 4)
                                    : 2 * size * width * z / std::sinh(z);
    sum.text += sum.text.empty() ? "" : "+";
    sum.text += is_gauss ? fmt::format("{}*exp(-((t-{})/{})^2)", size, centre, width)
                         : fmt::format("{}/cosh((t-{})/{})^2", size, centre, width);
    sum.x += impulse * std::sin(final_time - centre);
    // t is rounded, on a scale of w.
    sum.rounding += std::abs(impulse) * 1e-15 * final_time / width;
  }
  return sum;
}

TEST(SeveralPulses, are_solved_to_rounding) {
  for (const Pulses& pulses :
       {sum_of({{true, 30, 5, 0.01}, {true, 3000, 8, 1e-4}}),
        sum_of({{false, 1000, 5, 1e-4}, {false, 1e5, 8, 1e-6}}),
        sum_of({{true, 3e4, 8, 1e-5}, {false, -3e6, 2.7, 1e-7}, {true, 0.5, 5, 0.3}}),
        sum_of({{true, 1, 1.3, 0.1}, {true, 1e8, 1.7, 1e-8}, {false, 1, 5, 0.02}})}) {
    const double allowed = 1e-11 + pulses.rounding;
    EXPECT_NEAR(solved(pulses.text), pulses.x, allowed) << pulses.text;
    EXPECT_NEAR(solved_by_second_method(pulses.text), pulses.x, 10 * allowed) << pulses.text;
  }
  // ∫ sin(T - t) e^(-at) dt = (a sin T - cos T + e^(-aT))/(a² + 1)
  const double a = 2e4;
  const Pulses pulse = sum_of({{true, 3e4, 8, 1e-5}});
  const double expected = pulse.x + (a * std::sin(final_time) - std::cos(final_time)) / (a * a + 1);
  EXPECT_NEAR(solved("exp(-2e4*t)+" + pulse.text), expected, 1e-11 + pulse.rounding);
}

/// On a spring k0 = 1 beside cells of next to no strength, so that even the shortest step sees too
/// much of a jump: between jumps x - F turns about 0.
TEST(ManyJumps, are_passed_one_by_one) {
  constexpr int pieces = 160;
  constexpr double span = final_time / pieces;
  double x = 0.0;
  double y = 0.0;
  for (int i = 0; i < pieces; ++i) {
    const double force = i % 2 == 0 ? 1.0 : -1.0;
    const double before = x - force;
    x = force + std::cos(span) * before + std::sin(span) * y;
    y = std::cos(span) * y - std::sin(span) * before;
  }
  const auto found =
      exact_at(*uniform_cells(1, 1e-12, 1e-6), {.k0 = 1.0}, pieces_of("square(8*t)"), final_time);
  EXPECT_NEAR(found.x, x, 1e-11);
}

TEST(Pole, is_refused_with_its_reason) {
  for (const std::string text : {"1/(t-3)", "1/(t-pi)", "tan(t)", "(t-2)^-3", "abs(t-pi)^-0.5",
                                 "t<5?0:1/(t-pi-5)", "0.1/(t-3.0000001)", "1/(t-pi)-1/(t-pi)^2",
                                 "atanh(t/9.9)", "sqrt(3-t)", "asin(t)", "(t-5)^0.5"}) {
    try {
      const double x = solved(text);
      ADD_FAILURE() << text << " gave " << x;
    } catch (const base::UserError& error) {
      EXPECT_NE(std::string(error.what()).find("must be finite"), std::string::npos)
          << text << ": " << error.what();
    }
  }
}

}  // namespace masing::test_exact_forces
