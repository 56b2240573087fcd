// Closed cycles of any amplitude, against closed forms of the papers' slab and of one cell, and
// against quadrature of the integrals themselves for other profiles.

#include "slab/closed_curves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <numbers>

namespace masing::test_closed_curves {

slab::Slab closed_slab(const std::string& stiffness, const std::string& threshold,
                       slab::Space space) {
  slab::Slab slab{{.stiffness = base::Function(stiffness, 's', {}),
                   .threshold = base::Function(threshold, 's', {}),
                   .initial_u = base::Function("0", 's', {})},
                  space,
                  slab::Rule::midpoint};
  return slab;
}

TEST(ClosedCurves, are_the_closed_forms_of_the_papers_slab) {
  const slab::ClosedCurves curves(closed_slab("1", "s+0.1", slab::Continuum{}), 0.2);
  for (const double x : {0.03, 0.1, 0.4, 1.0, 1.1, 3.0}) {
    const double end = std::min(x, 1.1);
    const double backbone = x <= 0.1 ? x : x <= 1.1 ? -x * x / 2 + 1.1 * x - 0.005 : 0.6;
    const double loss =
        x <= 0.1 ? 0.0 : 4 * (x * (end * end - 0.01) / 2 - (end * end * end - 0.001) / 3);
    const slab::ClosedCycle cycle = curves.cycle(x);
    const double restoring = 0.2 * x + backbone;
    EXPECT_NEAR(cycle.restoring, restoring, 1e-12) << x;
    EXPECT_NEAR(cycle.loss, loss, 1e-11) << x;
    EXPECT_NEAR(cycle.secant_stiffness, restoring / x, 1e-11) << x;
    EXPECT_NEAR(cycle.damping_ratio, loss / (2 * std::numbers::pi * x * restoring), 1e-11) << x;
  }
}

TEST(ClosedCurves, are_those_of_one_cell) {
  const slab::ClosedCurves curves(closed_slab("3", "0.5", slab::Cells{1}), 0.0);
  EXPECT_DOUBLE_EQ(curves.cycle(0.4).restoring, 1.2);
  EXPECT_DOUBLE_EQ(curves.cycle(0.4).loss, 0.0);
  EXPECT_DOUBLE_EQ(curves.cycle(2.0).restoring, 1.5);
  EXPECT_DOUBLE_EQ(curves.cycle(2.0).loss, 4 * 3 * 0.5 * (2.0 - 0.5));
}

TEST(ClosedCurves, are_the_sums_of_many_cells) {
  constexpr int cells = 400;
  const slab::ClosedCurves curves(closed_slab("1+s", "s*(1-s)", slab::Cells{cells}), 0.1);
  for (const double x : {0.0005, 0.1, 0.2, 0.7}) {
    double loss = 0.0;
    double restoring = 0.1 * x;
    for (int i = 0; i < cells; ++i) {
      const double s = (i + 0.5) / cells;
      const double eta = s * (1 - s);
      loss += 4 * (1 + s) * eta * std::max(0.0, x - eta) / cells;
      restoring += (1 + s) * std::min(x, eta) / cells;
    }
    EXPECT_NEAR(curves.cycle(x).loss, loss, 1e-14) << x;
    EXPECT_NEAR(curves.cycle(x).restoring, restoring, 1e-14) << x;
  }
}

TEST(ClosedCurves, are_the_integrals_over_the_cells_that_yield) {
  const slab::ClosedCurves curves(closed_slab("1+s", "0.2+s^2", slab::Continuum{}), 0.0);
  boost::math::quadrature::tanh_sinh<double> quadrature;
  for (const double x : {0.25, 0.7, 1.15, 2.0}) {
    const double end = std::min(1.0, std::sqrt(x - 0.2));
    const auto over = [&](const auto& f, double a, double b) {
      return a < b ? quadrature.integrate(f, a, b) : 0.0;
    };
    const auto eta = [](double s) { return 0.2 + s * s; };
    const double loss =
        4 * over([&](double s) { return (1 + s) * eta(s) * (x - eta(s)); }, 0.0, end);
    const double backbone = over([&](double s) { return (1 + s) * eta(s); }, 0.0, end) +
                            over([&](double s) { return (1 + s) * x; }, end, 1.0);
    EXPECT_NEAR(curves.cycle(x).loss, loss, 1e-10) << x;
    EXPECT_NEAR(curves.cycle(x).restoring, backbone, 1e-10) << x;
  }
}

}  // namespace masing::test_closed_curves
