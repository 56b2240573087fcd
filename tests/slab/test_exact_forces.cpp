// The exact solution under forces as users write them: x of an oscillator that never slides against
// Duhamel's integral x(T) = ∫ sin(T - t) F(t) dt (m = k = 1), F in C++ and the integral by
// tanh-sinh quadrature between the places where F is not smooth; and poles, which are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <tuple>
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
    // These are not smooth.
    {"sqrt(t)", [](double t) { return std::sqrt(t); }, {}},
    {"t^0.1+t^2.7", [](double t) { return std::pow(t, 0.1) + std::pow(t, 2.7); }, {}},
    {"t<4?0.2*t:exp(-t)", [](double t) { return t < 4 ? 0.2 * t : std::exp(-t); }, {4}},
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
    {"2^-t*(0.1+t)^sin(t)",
     [](double t) { return std::exp2(-t) * std::pow(0.1 + t, std::sin(t)); },
     {}},
};

TEST(UsualForce, is_solved_by_both_methods) {
  for (const Force& force : forces) {
    SCOPED_TRACE(force.text);
    const double expected = duhamel(force);
    const double rounding = 1e-11 * std::max(1.0, std::abs(expected));
    EXPECT_NEAR(solved(force.text), expected, rounding);
    EXPECT_NEAR(solved_by_second_method(force.text), expected, 10 * rounding);
  }
}

/// ∫ sin(T - t) F dt of a pulse A exp(-((t - c)/w)²) is A w √π e^(-w²/4) sin(T - c), that of
/// A/cosh²((t - c)/w) is 2 A w z/sinh(z) sin(T - c), z = πw/2, and ∫ sin(T - t) e^(-at) dt =
/// (a sin T - cos T + e^(-aT))/(a² + 1).
TEST(SeveralPulses, are_solved_to_rounding) {
  const auto gauss = [](double size, double centre, double width) {
    return size * width * std::sqrt(pi) * std::exp(-width * width / 4) *
           std::sin(final_time - centre);
  };
  const auto secant = [](double size, double centre, double width) {
    const double z = pi * width / 2;
    return 2 * size * width * z / std::sinh(z) * std::sin(final_time - centre);
  };
  const double a = 2e4;
  // t is rounded, on a scale of w: 1e-14/w of each impulse.
  const std::tuple<const char*, double, double> sums[] = {
      {"30*exp(-((t-5)/0.01)^2)+3000*exp(-((t-8)/1e-4)^2)",
       gauss(30, 5, 0.01) + gauss(3000, 8, 1e-4), 6e-11},
      {"1000/cosh((t-5)/1e-4)^2+1e5/cosh((t-8)/1e-6)^2",
       secant(1000, 5, 1e-4) + secant(1e5, 8, 1e-6), 2.1e-9},
      {"3e4*exp(-((t-8)/1e-5)^2)-3e6/cosh((t-2.7)/1e-7)^2+0.5*exp(-((t-5)/0.3)^2)",
       gauss(3e4, 8, 1e-5) + secant(-3e6, 2.7, 1e-7) + gauss(0.5, 5, 0.3), 6.1e-8},
      {"exp(-2e4*t)+3e4*exp(-((t-8)/1e-5)^2)",
       gauss(3e4, 8, 1e-5) + (a * std::sin(final_time) - std::cos(final_time)) / (a * a + 1),
       6e-10}};
  for (const auto& [text, x, rounding] : sums) {
    EXPECT_NEAR(solved(text), x, 1e-11 + rounding) << text;
    EXPECT_NEAR(solved_by_second_method(text), x, 10 * (1e-11 + rounding)) << text;
  }
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
