// The growth of elastic motions against the eigenvalues of small models: |1 + hλ| a step.

#include "rheology/elastic_growth.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rheology/model_run.hpp"

namespace masing::test_elastic_growth {

using model_run::model;
using std::numbers::pi;

double log_growth(const rheology::ModelSpec& spec, double step, std::int64_t steps) {
  return rheology::log_elastic_growth(rheology::elastic_eigenvalues(spec), step, steps);
}

/// Of an oscillation of frequency ω: N/2 log(1 + h²ω²).
double of_oscillation(double frequency, double step, double steps) {
  return 0.5 * steps * std::log1p(std::pow(step * frequency, 2));
}

TEST(ElasticGrowth, of_one_oscillation) {
  const auto prandtl = model("prandtl", {{"m", 2.0}, {"k0", 0.5}, {"k", 3.0}, {"eta", 1.0}});
  EXPECT_NEAR(log_growth(prandtl, 0.01, 1000), of_oscillation(std::sqrt(1.75), 0.01, 1000), 1e-9);
}

TEST(ElasticGrowth, of_the_fastest_of_a_chain) {
  // Fixed at one end, free at the other: ω_j = 2 sin((2j - 1)π/(2(2n + 1))).
  const auto three = model("s-chain", {{"n", 3.0}, {"k", 1.0}, {"eta", 1.0}});
  EXPECT_NEAR(log_growth(three, 0.1, 1000), of_oscillation(2 * std::sin(5 * pi / 14), 0.1, 1000),
              1e-8);
  // Of many Arnoldi finds the outermost nearly: ω → 2, from below.
  const auto many = model("s-chain", {{"n", 2000.0}, {"k", 1.0}, {"eta", 1.0}});
  const double limit = of_oscillation(2, 0.1, 1000);
  EXPECT_LT(log_growth(many, 0.1, 1000), limit);
  EXPECT_GT(log_growth(many, 0.1, 1000), 0.98 * limit);
}

TEST(ElasticGrowth, of_a_stiff_dashpot_only_beyond_its_limit) {
  // λ² + (k/c) λ + k/m = 0: one root near -k/c = -10⁴, stable for h < 2·10⁻⁴.
  const auto stiff = model("viscoelastoplastic", {{"k", 1.0}, {"eta", 1.0}, {"c", 1e-4}});
  EXPECT_NEAR(log_growth(stiff, 0.1, 500), 500 * std::log(999.0), 1e-3);
  EXPECT_NEAR(log_growth(stiff, 1.9e-4, 500), 0.0, 1e-9);
  // 500·2⁹; 128,000 steps of 3.9·10⁻⁴ are too few.
  EXPECT_EQ(
      rheology::steps_for_growth(rheology::elastic_eigenvalues(stiff), 50, 500, std::log(1.1)),
      256000);
}

TEST(ElasticGrowth, is_none_of_a_free_mass_and_infinite_beyond_a_double) {
  const auto free = model("friction-oscillator", {{"k", 0.0}, {"alpha", 1.0}});
  EXPECT_NEAR(log_growth(free, 0.1, 1000), 0.0, 1e-9);
  const auto huge = model("prandtl", {{"m", 1e-200}, {"k", 1e200}, {"eta", 1e-100}});
  EXPECT_EQ(log_growth(huge, 0.1, 10), INFINITY);
}

}  // namespace masing::test_elastic_growth
