// Numbers as integers in units of C·2⁻⁶², C the least power of two ≥ the bound. Integer sums:
// README.

#include "base/block_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

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

}  // namespace masing::test_fixed_point
