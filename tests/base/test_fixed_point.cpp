// Sums as integers in units of C·2⁻⁶², C the least power of two ≥ the bound: exact to half a unit a
// term, and the same in every order. Integer sums: README.

#include "base/block_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "base/error.hpp"

namespace masing::test_fixed_point {

using base::FixedPoint;

TEST(FixedPointUnit, is_the_least_power_of_two_at_or_above_the_bound) {
  EXPECT_EQ(FixedPoint(1.0).unit(), std::ldexp(1.0, -62));
  EXPECT_EQ(FixedPoint(std::nextafter(1.0, 2.0)).unit(), std::ldexp(1.0, -61));
  EXPECT_EQ(FixedPoint(1.1).unit(), std::ldexp(1.0, -61));
  EXPECT_EQ(FixedPoint(0.5).unit(), std::ldexp(1.0, -63));
  EXPECT_EQ(FixedPoint(0.3).unit(), std::ldexp(1.0, -63));
}

TEST(FixedPointUnit, has_an_exact_inverse_and_holds_the_bound_in_64_bits) {
  for (const double bound : {1e-200, 3e-100, 0.3, 0.5, 0.7, 1.0, 1.1, 1e10, 1e200}) {
    const FixedPoint fixed(bound);
    EXPECT_EQ(fixed.unit() * fixed.units_per_one(), 1.0) << bound;
    EXPECT_TRUE(std::isnormal(fixed.unit())) << bound;
    const double units = bound * fixed.units_per_one();
    EXPECT_LE(units, std::ldexp(1.0, 62)) << bound;
    EXPECT_GT(units, std::ldexp(1.0, 61)) << bound;
  }
}

TEST(FixedPointUnit, refuses_bounds_out_of_range) {
  for (const double bound : {0.0, -1.0, 9e-201, 1.1e200, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(FixedPoint{bound}, base::UserError) << bound;
  }
}

TEST(FixedPointValue, gives_back_what_a_double_holds) {
  const FixedPoint fixed(1.0);
  // Multiples of 2^-62 below 2^-9 and dyadic numbers up to the bound fit a double exactly.
  for (const double value : {0.0, 1.0, -1.0, 0.625, -0.3125, std::ldexp(1.0, -62), 0.001, -0.1}) {
    const std::int64_t units = std::llrint(value * fixed.units_per_one());
    EXPECT_EQ(fixed.value(units), value);
  }
}

TEST(FixedPointSum, does_not_depend_on_order_and_errs_by_half_a_unit_a_term) {
  const FixedPoint fixed(1.0);
  std::mt19937_64 random(20240229);
  std::vector<std::int64_t> units;
  long double exact = 0.0L;
  for (int i = 0; i < 2000; ++i) {
    const double term = std::uniform_real_distribution<double>(-1.0, 1.0)(random) / 2000.0;
    exact += term;
    units.push_back(std::llrint(term * fixed.units_per_one()));
  }
  const std::int64_t expected = std::accumulate(units.begin(), units.end(), std::int64_t{0});
  for (int round = 0; round < 20; ++round) {
    std::ranges::shuffle(units, random);
    EXPECT_EQ(std::accumulate(units.begin(), units.end(), std::int64_t{0}), expected);
  }
  // long double itself rounds 2000 partial sums below 1 to 2^-64.
  const long double bound = 2000 * (std::ldexp(0.5L, -62) + std::ldexp(1.0L, -64));
  EXPECT_LE(std::abs(static_cast<long double>(expected) * fixed.unit() - exact), bound);
}

}  // namespace masing::test_fixed_point
