// The exact solution against every dynamic closed form, its works against sums over its path, and
// against itself under another control of its steps. Forces as users write them: x of an oscillator
// that never slides against Duhamel's integral x(T) = ∫ sin(T - t) F(t) dt (m = k = 1), F in C++
// and the integral by tanh-sinh quadrature between the places where F is not smooth; poles are
// refused.
#include "slab/exact/oscillator_solution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "base/function.hpp"
#include "slab/turning_points/measure.hpp"
#include "support/slab_cells.hpp"

namespace masing::test_oscillator_solution {

using slab::MassState;
using slab::Oscillator;
using slab::OscillatorSolution;
using slab::SmoothPieces;

std::shared_ptr<const slab::Measure> uniform_cells(int cells, double k, double eta,
                                                   double u0 = 0.0) {
  return slab::make_cell_measure(support::cells_of(
      cells, [&](double) { return k; }, [&](double) { return eta; }, [&](double) { return u0; }));
}

MassState exact_at(const slab::Measure& measure, const Oscillator& oscillator,
                   const SmoothPieces& force, double t) {
  return OscillatorSolution(measure, oscillator, force).at(t);
}

const std::shared_ptr<const slab::Measure> papers_case =
    slab::make_continuous_measure(support::problem({.space = support::space_of(0)}));
const slab::Measure& papers_measure = *papers_case;

double papers_force(double t) {
  return 0.45 * std::cos(0.5 * t);
}

SmoothPieces constant(double value, double final_time = 100.0) {
  return {[value](double) { return value; }, {}, final_time};
}

TEST(OscillatorSolution, BilinearOscillatorIsTheClosedFormBetweenEvents) {
  // Elastic with k0 + k, then plastic with k0 and the constant pull kη; then elastic again.
  const double mass = 1.7;
  const double k0 = 0.3;
  const double k = 1.0;
  const double eta = 0.25;
  const double v = 1.2;
  const auto cell = uniform_cells(1, k, eta);
  const Oscillator oscillator{.mass = mass, .k0 = k0, .x0 = 0.0, .y0 = v};
  const double w1 = std::sqrt((k0 + k) / mass);
  const double w2 = std::sqrt(k0 / mass);
  const double t1 = std::asin(eta * w1 / v) / w1;
  const double v1 = v * std::cos(w1 * t1);
  const double rest = -k * eta / k0;  // of the plastic phase
  const double t2 = t1 + std::atan2(v1, w2 * (eta - rest)) / w2;
  const double x2 = rest + std::hypot(eta - rest, v1 / w2);
  const double centre = k * (x2 - eta) / (k0 + k);

  OscillatorSolution solution(*cell, oscillator, constant(0.0));
  EXPECT_NEAR(solution.at(t1).y, v1, 1e-14);
  const double plastic = 0.6 * (t2 - t1);
  EXPECT_NEAR(solution.at(t1 + plastic).x,
              rest + (eta - rest) * std::cos(w2 * plastic) + v1 / w2 * std::sin(w2 * plastic),
              1e-14);
  EXPECT_NEAR(solution.at(t2).x, x2, 1e-14);
  EXPECT_NEAR(solution.at(t2).y, 0.0, 1e-14);
  const double back = std::acos((x2 - 2 * eta - centre) / (x2 - centre)) / w1;
  EXPECT_NEAR(solution.at(t2 + 0.9 * back).x, centre + (x2 - centre) * std::cos(0.9 * w1 * back),
              1e-13);
}

/// ½ m v² = ∫ S dx - F x at the first stop, which is found by bisection.
TEST(OscillatorSolution, TheBackboneTakesTheEnergyUntilTheFirstStopOnAnyScale) {
  for (const auto& [v, force, exponent] : {std::tuple(0.05, 0.0, 0),
                                           {0.3, 0.0, 0},
                                           {2.5, 0.0, 0},
                                           {0.9, 0.0, -660},
                                           {0.9, 0.0, 660},
                                           {0.0, 0.04, 0},
                                           {0.0, 0.35, 0},
                                           {0.0, 0.45, 0},
                                           {0.3, 0.2, 660}}) {
    const double unit = std::ldexp(1.0, exponent);
    const auto measure = slab::make_continuous_measure(
        support::problem({.threshold = "2^(" + std::to_string(exponent) + ")*(s+0.1)",
                          .space = support::space_of(0)}));
    const auto at = [&, v = v, force = force](double t) {
      const Oscillator oscillator{.mass = 1.3, .y0 = v * unit};
      return exact_at(*measure, oscillator, constant(force * unit), t);
    };
    double low = v > 0.0 ? 0.0 : 0.5;
    double high = v > 0.0 ? 9.0 : 10.0;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (at(middle).y > 0.0 ? low : high) = middle;
    }
    const double x1 = at(low).x / unit;
    EXPECT_NEAR(support::papers_backbone_integral(x1) - force * x1, 0.5 * 1.3 * v * v, 1e-13)
        << v << ", " << force << ", 2^" << exponent;
  }
}

/// x'' + x = t³: x = t³ - 6t + 6 sin t; either way, and after a rest.
TEST(OscillatorSolution, SetsOffUnderAForceThatGrowsFromNothing) {
  for (const double sign : {1.0, -1.0}) {
    for (const double late : {0.0, 10.0}) {
      const SmoothPieces force(
          [&](double t) { return t < late ? 0.0 : sign * std::pow(t - late, 3); }, {late}, 20.0);
      OscillatorSolution solution(papers_measure, {}, force);
      EXPECT_EQ(solution.at(late).x, 0.0);
      EXPECT_NEAR(solution.at(late + 0.9).x, sign * (0.729 - 5.4 + 6 * std::sin(0.9)), 1e-13);
    }
  }
}

TEST(OscillatorSolution, FromSaturationOneWayIsFreeAndTheOtherElastic) {
  // All cells at +η: S = kη stays on the way on, and the full stiffness answers on the way back.
  const auto cells = uniform_cells(4, 1.0, 0.5, 0.5);
  for (const double push : {0.2, -0.2}) {
    OscillatorSolution solution(*cells, {}, constant(0.5 + push));
    EXPECT_EQ(solution.at(0.0).internal_force, 0.5);
    const double t = 2.0;
    EXPECT_NEAR(solution.at(t).x, push > 0 ? 0.5 * push * t * t : push * (1 - std::cos(t)), 1e-13);
  }
  // In balance it rests, whichever way it would give in.
  EXPECT_EQ(exact_at(*cells, {}, constant(0.5), 50.0).x, 0.0);
}

/// S and a preload do ∫ (S + c) dx, by the trapezoidal rule with an error of some 1e-8 in all; the
/// force does what the energies gain and the damper takes.
TEST(OscillatorSolution, HasTheWorksOfItsForces) {
  for (const double preload : {0.0, 0.25}) {
    const Oscillator oscillator{
        .mass = 2.0, .damping = 0.03, .preload = preload, .k0 = 0.1, .x0 = 0.4, .y0 = -0.7};
    const auto measure = slab::make_cell_measure(support::papers_cells(20));
    OscillatorSolution solution(*measure, oscillator, SmoothPieces{papers_force, {}, 30.0});
    solution.follow_works();
    constexpr int steps = 300000;
    MassState before = solution.at(0.0);
    double work = 0.0;
    for (int p = 1; p <= steps; ++p) {
      const MassState state = solution.at(30.0 * p / steps);
      const double force = 0.5 * (before.internal_force + state.internal_force) + preload;
      work += force * (state.x - before.x);
      before = state;
      if (p % 1000 == 0) {
        const slab::Works works = solution.works();
        ASSERT_NEAR(works.slab, work, 1e-7) << p;
        const double gained =
            state.y * state.y - 0.7 * 0.7 + 0.05 * (state.x * state.x - 0.4 * 0.4);
        ASSERT_NEAR(works.input, gained + works.slab + works.viscous, 1e-11) << p;
      }
    }
    EXPECT_GT(solution.works().viscous, 0.0);
  }
}

/// The second method has ten times the tolerance and 0.7 times the longest step.
TEST(OscillatorSolution, OfRandomCellsAndForcesIsTheSameUnderTwoStepControls) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    const double slope = between(-1, 1);
    const double base = between(0.05, 1.05) + std::max(0.0, -slope);
    const double share = seed % 6 == 0 ? 1.0 : seed % 3 == 0 ? between(-1, 1) : 0.0;
    const double density = between(0.2, 3.2);
    const auto eta = [&](double s) { return base + (seed % 4 == 0 ? 0.0 : slope * s); };
    const auto cells = slab::make_cell_measure(support::cells_of(
        static_cast<int>(between(1, 61)), [&](double s) { return density * (1 + s); }, eta,
        [&](double s) { return share * eta(s) * (seed % 5 == 0 ? std::sin(1e5 * s) : 1.0); }));
    const Oscillator oscillator{.mass = between(0.3, 1.3),
                                .k0 = seed % 2 == 0 ? 0.0 : between(0, 1),
                                .x0 = between(-1, 1),
                                .y0 = seed % 5 == 0 ? 0.0 : between(-1, 1)};
    const SmoothPieces force(
        [a = between(0, 2), w = between(0, 3), b = between(0, 1)](double t) {
          return (t < 7.1 && t >= 7.0 ? -b : a * std::cos(w * t)) + b * (t >= 20.0);
        },
        {7.0, 7.1, 20.0}, 60.0);
    OscillatorSolution solution(*cells, oscillator, force);
    OscillatorSolution check(*cells, oscillator, force, slab::checking({}));
    for (int p = 1; p <= 300; ++p) {
      const MassState one = solution.at(0.2 * p);
      const MassState other = check.at(0.2 * p);
      ASSERT_NEAR(one.x, other.x, 1e-10) << "seed " << seed;
      ASSERT_NEAR(one.y, other.y, 1e-10) << "seed " << seed;
    }
    EXPECT_EQ(exact_at(*cells, oscillator, force, 60.0).x, solution.at(60.0).x) << "asked once";
  }
}

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

/// By both methods, of which the second has ten times the tolerance.
void expect_solved(const std::string& text, double x, double rounding) {
  const auto cell = uniform_cells(1, 1.0, 1e3);
  OscillatorSolution second(*cell, {}, pieces_of(text), slab::checking({}));
  EXPECT_NEAR(solved(text), x, rounding) << text;
  EXPECT_NEAR(second.at(final_time).x, x, 10 * rounding) << text;
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
    // A part of this overflows.
    {"1/cosh(50*(t-3))^2", [](double t) { return sech2(50 * (t - 3)); }, around(3, 0.02)},
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
};

TEST(UsualForce, is_solved_by_both_methods) {
  for (const Force& force : forces) {
    const double expected = duhamel(force);
    expect_solved(force.text, expected, 1e-11 * std::max(1.0, std::abs(expected)));
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
      {"3e4*exp(-((t-8)/1e-5)^2)-3e6/cosh((t-2.7)/1e-7)^2+0.5*exp(-((t-5)/0.3)^2)",
       gauss(3e4, 8, 1e-5) + secant(-3e6, 2.7, 1e-7) + gauss(0.5, 5, 0.3), 6.1e-8},
      {"exp(-2e4*t)+3e4*exp(-((t-8)/1e-5)^2)",
       gauss(3e4, 8, 1e-5) + (a * std::sin(final_time) - std::cos(final_time)) / (a * a + 1),
       6e-10}};
  for (const auto& [text, x, rounding] : sums) {
    expect_solved(text, x, 1e-11 + rounding);
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

TEST(SmoothPieces, GoFromBreakToBreakInOrderAndHaveTheirOwnLimitsOnBothSides) {
  SmoothPieces zero([](double) { return 0.0; }, {3.0, 5.0, 1.0, 3.0, 0.0, -1.0}, 4.0);
  for (const double end : {1.0, 3.0, 4.0}) {
    EXPECT_EQ(zero.piece_end(), end);
    zero.pass_break();
  }
  // The jump as computed may lie a few ulp to either side of the break.
  constexpr double eps = std::numeric_limits<double>::epsilon();
  for (const double jump : {1.0 - 4 * eps, 1.0, 1.0 + 4 * eps}) {
    SmoothPieces force([jump](double t) { return t < jump ? -1.0 : 1.0; }, {1.0}, 2.0);
    EXPECT_EQ(force(1.0), -1.0) << jump - 1.0;
    force.pass_break();
    EXPECT_EQ(force(1.0), 1.0) << jump - 1.0;
  }
}

}  // namespace masing::test_oscillator_solution
