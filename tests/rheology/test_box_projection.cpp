// The projection on a box in the norm of (k0·11ᵀ + diag(k))⁻¹: its optimality conditions.

#include "rheology/box_projection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/block_sum.hpp"

namespace masing::test_box_projection {

using Vector = std::vector<double>;
constexpr double eps = std::numeric_limits<double>::epsilon();

struct Case {
  double k0 = 1.0;
  Vector value;
  Vector bound;
  Vector compliance;

  [[nodiscard]] rheology::BoxElements elements() const {
    return {value, bound, compliance, k0, base::sum_of_not_negative(compliance)};
  }
};

/// With λ_i = (v_i - τ - w_i)/k_i, w = v - Kλ holds if τ = k0 Σλ, and λ has the signs that the
/// box asks for by construction: this τ is the projection's.
void expect_optimal(const Case& data, double shift) {
  long double sum = 0;
  double farthest = 0;
  double slope = 1;
  for (std::size_t i = 0; i < data.value.size(); ++i) {
    const double shifted = data.value[i] - shift;
    const double multiplier = shifted - std::clamp(shifted, -data.bound[i], data.bound[i]);
    sum += static_cast<long double>(multiplier) * data.compliance[i];
    farthest = std::max(farthest, std::abs(data.value[i]));
    slope += data.k0 * data.compliance[i];
  }
  ASSERT_NEAR(shift, static_cast<double>(data.k0 * sum), 4 * eps * farthest * slope);
}

Case generic(std::size_t n, double k0, double drift, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::lognormal_distribution<double> positive;
  Case data{.k0 = k0, .value = {}, .bound = {}, .compliance = {}};
  for (std::size_t i = 0; i < n; ++i) {
    data.bound.push_back(positive(random));
    data.value.push_back(drift * normal(random) + drift);
    data.compliance.push_back(1 / positive(random));
  }
  return data;
}

/// Values on their bounds and ties; every fourth bound is 0.
Case degenerate(std::size_t n, std::mt19937_64& random) {
  Case data{
      .k0 = 0.5 * static_cast<double>(random() % 4), .value = {}, .bound = {}, .compliance = {}};
  for (std::size_t i = 0; i < n; ++i) {
    data.bound.push_back(0.5 * static_cast<double>(random() % 4));
    data.value.push_back(0.5 * (static_cast<double>(random() % 13) - 6));
    data.compliance.push_back(static_cast<double>(1 + random() % 2));
  }
  return data;
}

double solve(const Case& data) {
  return rheology::common_shift(data.elements());
}

TEST(BoxProjection, meets_the_optimality_conditions) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 1 + random() % 50;
    SCOPED_TRACE(round);
    for (const double k0 : {1e-6, 1.0, 1e6}) {
      for (const double drift : {0.1, 3.0, 1e4}) {
        const Case data = generic(n, k0, drift, random);
        ASSERT_NO_FATAL_FAILURE(expect_optimal(data, solve(data)));
      }
    }
    const Case ties = degenerate(n, random);
    ASSERT_NO_FATAL_FAILURE(expect_optimal(ties, solve(ties)));
  }
}

TEST(BoxProjection, ends_whatever_the_scales) {
  // Springs from 1e-9 to 1e9 beside a k0 of 1e12, and drifts of 1e±150.
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> power(-9, 9);
  for (const double drift : {1e-300, 1e-150, 1.0, 1e150}) {
    Case data = generic(2000, 1e12, drift, random);
    for (double& compliance : data.compliance) {
      compliance = std::pow(10.0, power(random));
    }
    const double shift = solve(data);
    EXPECT_TRUE(std::isfinite(shift)) << drift;
    expect_optimal(data, shift);
  }
  Case lost = generic(3, 1.0, 1.0, random);
  lost.value[1] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(solve(lost)));
}

}  // namespace masing::test_box_projection
