// Least squares against the normal equations worked out by hand.

#include "study/least_squares.hpp"

#include <gtest/gtest.h>

namespace masing::test_least_squares {

using study::least_squares;

/// Through (0, 1), (1, 3), (2, 4): slope 3/2, intercept 7/6; (XᵀX)⁻¹ has 5/6 and 1/2.
TEST(LeastSquares, of_a_line_through_three_points) {
  const auto found = least_squares({{1, 1, 1}, {0, 1, 2}}, {1, 3, 4});
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->coefficients[0], 7.0 / 6, 1e-15);
  EXPECT_NEAR(found->coefficients[1], 1.5, 1e-15);
  EXPECT_NEAR(found->variances[0], 5.0 / 6, 1e-15);
  EXPECT_NEAR(found->variances[1], 0.5, 1e-15);
  EXPECT_NEAR(found->residuals[0], -1.0 / 6, 1e-15);
  EXPECT_NEAR(found->residuals[1], 1.0 / 3, 1e-15);
  EXPECT_NEAR(found->residuals[2], -1.0 / 6, 1e-15);
}

TEST(LeastSquares, does_not_depend_on_the_scale_of_columns) {
  const auto found = least_squares({{1e-9, 1e-9, 1e-9}, {0, 1e9, 2e9}}, {1, 3, 4});
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->coefficients[0], 7e9 / 6, 1e-5);
  EXPECT_NEAR(found->coefficients[1], 1.5e-9, 1e-23);
}

TEST(LeastSquares, has_no_answer_where_columns_depend_on_each_other) {
  EXPECT_FALSE(least_squares({{1, 2, 3}, {2, 4, 6}}, {1, 2, 3}).has_value());
  EXPECT_FALSE(least_squares({{1, 2, 3}, {0, 0, 0}}, {1, 2, 3}).has_value());
  EXPECT_FALSE(least_squares({{1, 1}, {1, 2}, {1, 4}}, {1, 2}).has_value());
}

}  // namespace masing::test_least_squares
