// Trajectories against closed forms between events. The scheme is of first order: where a solution
// is smooth its error in x is at most about h T max|x''|/2 with what explicit steps add to an
// oscillation, exp(h w^2 T/2) - 1.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "rheology/model_run.hpp"

namespace masing::test_closed_forms {

/// x and y of the mass at the time of a sample.
struct Point {
  double t;
  double x;
  double y;
  double u;  ///< where the model has one
};

std::vector<Point> trajectory(model_run::Run& run, const std::function<double(double)>& force,
                              double final_time, int steps) {
  std::vector<Point> points;
  model_run::advance(run, force, final_time, steps, [&](double t) {
    points.push_back({t, run.state[0], run.state[1], run.state.size() > 2 ? run.state[2] : 0.0});
  });
  return points;
}

TEST(FrictionOscillator, loses_twice_alpha_over_k_of_amplitude_each_half_cycle) {
  constexpr double k = 2.0;
  constexpr double alpha = 0.1;
  constexpr double x0 = 1.025;
  model_run::Run run("friction-oscillator", {{"m", 0.5}, {"k", 2}, {"alpha", 0.1}, {"x0", 1.025}});
  constexpr double h = 1e-5;
  std::vector<double> peaks;
  double before = 0.0;
  model_run::advance(
      run, [](double) { return 0.0; }, 20, 2000000,
      [&](double) {
        if (before * run.state[1] < 0 || (before != 0 && run.state[1] == 0)) {
          peaks.push_back(run.state[0]);
        }
        before = run.state[1];
      });
  // 1.025 - 2 j α/k until it is within α/k = 0.05, where the mass is held for ever.
  ASSERT_EQ(peaks.size(), 10);
  const double omega_squared = k / 0.5;
  for (std::size_t j = 0; j < peaks.size(); ++j) {
    const auto halves = static_cast<double>(j + 1);
    EXPECT_NEAR(std::abs(peaks[j]), x0 - 2 * alpha / k * halves, h * omega_squared * 20 * x0) << j;
  }
  EXPECT_EQ(run.state[1], 0.0);
  EXPECT_NEAR(run.restoring, 0.0, 1e-15);  // friction holds the spring
}

TEST(Prandtl, is_the_explicit_scheme_of_an_oscillator_until_it_yields) {
  // x + iy/w times (1 - ihw) each step, about the rest position F/w².
  model_run::Run run("prandtl", {{"k0", 1}, {"k", 3}, {"eta", 1}});
  constexpr double force = 1.5;
  constexpr double h = 0.01;
  const std::complex<double> turn{1.0, -h * 2.0};
  std::complex<double> z{-force / 4, 0.0};
  for (const Point& at : trajectory(
           run, [](double) { return force; }, 5, 500)) {
    z *= turn;
    EXPECT_NEAR(at.x, force / 4 + z.real(), 1e-13) << at.t;
    EXPECT_NEAR(at.y, 2 * z.imag(), 1e-13) << at.t;
  }
}

}  // namespace masing::test_closed_forms
