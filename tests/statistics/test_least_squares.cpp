// Least squares against the normal equations worked out by hand.

#include "statistics/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace masing::test_least_squares {

using Matrix = Eigen::MatrixXd;
using statistics::least_squares;

/// Through (0, 1), (1, 3), (2, 4): slope 3/2, intercept 7/6; (XᵀX)⁻¹ has 5/6 and 1/2.
TEST(LeastSquares, of_a_line_through_three_points) {
  const auto found = least_squares(Matrix{{1, 0}, {1, 1}, {1, 2}}, Eigen::Vector3d(1, 3, 4));
  ASSERT_TRUE(found.has_value());
  const auto expect_near = [](const Eigen::VectorXd& numbers, const Eigen::VectorXd& expected) {
    EXPECT_TRUE(((numbers - expected).array().abs() < 4e-15).all()) << numbers.transpose();
  };
  expect_near(found->coefficients, Eigen::Vector2d(7.0 / 6, 1.5));
  expect_near(found->variances(), Eigen::Vector2d(5.0 / 6, 0.5));
  expect_near(found->residuals, Eigen::Vector3d(-1.0 / 6, 1.0 / 3, -1.0 / 6));
}

TEST(LeastSquares, does_not_depend_on_the_scale_of_columns) {
  const auto found =
      least_squares(Matrix{{1e-9, 0}, {1e-9, 1e9}, {1e-9, 2e9}}, Eigen::Vector3d(1, 3, 4));
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->coefficients[0], 7e9 / 6, 1e-5);
  EXPECT_NEAR(found->coefficients[1], 1.5e-9, 1e-23);
}

/// Of lines through the noise n₀, nᵢ = ρ nᵢ₋₁ + √(1 - ρ²) fresh, with deviation 1: over 20,000
/// draws the mean square of the slope and that of its standard error are alike, to 5 %, which is
/// four standard deviations of either.
TEST(LeastSquares, has_standard_errors_of_correlated_noise) {
  std::mt19937_64 random(20013);
  std::normal_distribution<double> normal;
  for (const double correlation : {0.0, 0.5}) {
    for (const Eigen::Index rows : {5, 20}) {
      Matrix line(rows, 2);
      line << Eigen::VectorXd::Ones(rows), Eigen::VectorXd::LinSpaced(rows, 0, 1);
      constexpr int draws = 20000;
      double slopes = 0.0;
      double errors = 0.0;
      for (int draw = 0; draw < draws; ++draw) {
        Eigen::VectorXd noise(rows);
        noise[0] = normal(random);
        for (Eigen::Index i = 1; i < rows; ++i) {
          noise[i] = correlation * noise[i - 1] +
                     std::sqrt(1 - correlation * correlation) * normal(random);
        }
        const auto found = least_squares(line, noise);
        slopes += std::pow(found->coefficients[1], 2);
        errors += std::pow(found->errors(found->residuals, correlation)[1], 2);
      }
      EXPECT_NEAR(errors / slopes, 1.0, 0.05) << correlation << ", " << rows;
    }
  }
}

TEST(LeastSquares, has_no_answer_where_columns_depend_on_each_other) {
  for (const Matrix& matrix : {Matrix{{1, 2}, {2, 4}, {3, 6}}, Matrix{{1, 0}, {2, 0}, {3, 0}}}) {
    EXPECT_FALSE(least_squares(matrix, Eigen::Vector3d(1, 2, 3)).has_value());
  }
  const Matrix wide{{1, 1, 1}, {1, 2, 4}};
  EXPECT_FALSE(least_squares(wide, Eigen::Vector2d(1, 2)).has_value());
}

}  // namespace masing::test_least_squares
