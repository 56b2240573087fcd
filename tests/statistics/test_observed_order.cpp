// Observed orders of manufactured errors C hᵖ, also with unequal ratios of steps; NaN where an
// order is undefined.

#include "statistics/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace masing::test_observed_order {

using statistics::observed_order;
using statistics::successive_order;

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// log(e₁/e₂)/log(h₁/h₂): the logarithms err by a few eps, the quotient by their sum over log r.
TEST(ObservedOrder, of_manufactured_errors) {
  for (const double p : {0.5, 1.0, 2.0, -1.0, 0.0}) {
    for (const double r : {1.1, 2.0, 3.0, 10.0, 0.5}) {
      const double h = 0.037;
      const double constant = 12.5;
      const double order =
          observed_order(constant * std::pow(h, p), constant * std::pow(h / r, p), h, h / r);
      EXPECT_NEAR(order, p, 8 * eps * (1 + std::abs(p)) / std::abs(std::log(r)))
          << "p = " << p << ", r = " << r;
    }
  }
}

TEST(ObservedOrder, is_undefined_without_two_positive_finite_errors) {
  for (const double bad : {0.0, -1.0, nan_value, inf}) {
    EXPECT_TRUE(std::isnan(observed_order(bad, 0.1, 2.0, 1.0))) << bad;
    EXPECT_TRUE(std::isnan(observed_order(0.1, bad, 2.0, 1.0))) << bad;
  }
  EXPECT_TRUE(std::isnan(observed_order(0.2, 0.1, 1.0, 1.0)));
}

/// v_j = v + C h_jᵖ: differences C (h₁ᵖ - h₂ᵖ) and C (h₂ᵖ - h₃ᵖ). A difference loses
/// 1/(1 - r⁻ᵖ) of its digits.
TEST(SuccessiveOrder, of_manufactured_differences_with_unequal_ratios) {
  for (const double p : {0.5, 1.0, 1.9, 2.0, 3.0}) {
    for (const auto& [r, q] : {std::pair(2.0, 2.0), {2.0, 3.0}, {1.5, 4.0}, {1.2, 1.1}}) {
      const double h1 = 0.2;
      const double h2 = h1 / r;
      const double h3 = h2 / q;
      const double first = 3.0 * (std::pow(h1, p) - std::pow(h2, p));
      const double second = 3.0 * (std::pow(h2, p) - std::pow(h3, p));
      EXPECT_NEAR(successive_order(first, second, h1, h2, h3), p, 1e-11)
          << "p = " << p << ", ratios " << r << " and " << q;
    }
  }
}

TEST(SuccessiveOrder, keeps_the_sign_where_differences_grow) {
  EXPECT_NEAR(successive_order(1.0, 2.0, 4.0, 2.0, 1.0), -1.0, 1e-12);
  EXPECT_NEAR(successive_order(1.0, 1.0, 4.0, 2.0, 1.0), 0.0, 1e-12);
}

TEST(SuccessiveOrder, is_undefined_without_two_positive_finite_differences) {
  for (const double bad : {0.0, -1.0, nan_value, inf}) {
    EXPECT_TRUE(std::isnan(successive_order(bad, 0.1, 4.0, 2.0, 1.0))) << bad;
    EXPECT_TRUE(std::isnan(successive_order(0.1, bad, 4.0, 2.0, 1.0))) << bad;
  }
  EXPECT_TRUE(std::isnan(successive_order(1e300, 1e-300, 4.0, 2.0, 1.0))) << "beyond any scheme";
}

}  // namespace masing::test_observed_order
