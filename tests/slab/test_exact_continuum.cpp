// The exact solution for P = ∞ and any admissible k, η and u0.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "slab/exact/oscillator_solution.hpp"
#include "slab/exact_support.hpp"
#include "slab/turning_points/measure.hpp"
#include "support/problem.hpp"

namespace masing::test_exact_continuum {

using namespace exact_test;

/// k, η, u0 as expressions, and an amplitude of F that makes some cells yield.
struct Slab {
  const char* stiffness;
  const char* threshold;
  const char* initial_u;
};

support::Problem problem_of(const Slab& slab, int cells) {
  return support::problem({.stiffness = slab.stiffness,
                           .threshold = slab.threshold,
                           .initial_u = slab.initial_u,
                           .space = support::space_of(cells),
                           .rule = slab::Rule::midpoint});
}

constexpr std::array<Slab, 9> slabs{{
    {"1", "s+0.1", "0"},
    {"1+0.5*sin(3*s)", "0.6-0.5*cos(2*pi*s)", "0"},
    {"1", "0.3", "0"},
    {"1", "0.1+abs(s-0.4)", "0.5*(0.1+abs(s-0.4))"},
    {"1", "s+0.1", "-(s+0.1)"},
    {"exp(s)", "0.2+s^3", "0.1*sin(s^3)"},
    {"points:0 1;0.5 2;1 1", "points:0 1;0.2 0.4;0.5 0.4;1 0.1", "0"},
    {"1+s", "s+0.1", "(s+0.1)*sin(9*s)"},
    {"1", "0.5", "0.4-0.6*s"},
}};

const SmoothPieces forcing{[](double t) { return 0.35 * std::cos(0.5 * t); }, {}, 30.0};

TEST(ExactContinuum, MidpointCellsTendToItAboveOrderOne) {
  for (const Slab& slab : slabs) {
    const auto measure = slab::make_continuous_measure(problem_of(slab, 1));
    std::array<double, 2> errors{};
    for (const int fine : {0, 1}) {
      const int count = fine != 0 ? 1600 : 200;
      const auto cells =
          slab::make_cell_measure(slab::sample_profile(problem_of(slab, count), {0, count}));
      OscillatorSolution all(*measure, {}, forcing);
      OscillatorSolution some(*cells, {}, forcing);
      for (int p = 1; p <= 300; ++p) {
        errors[fine] = std::max(errors[fine], std::abs(all.at(0.1 * p).x - some.at(0.1 * p).x));
      }
    }
    // Where η' = 0 the order is a little lower.
    EXPECT_LT(errors[1], 1e-5) << slab.threshold;
    EXPECT_LT(errors[1], std::max(errors[0] / 16, 1e-11)) << slab.threshold;
  }
}

}  // namespace masing::test_exact_continuum
