// The projection on a box in the norm of (k0·11ᵀ + diag(k))⁻¹: its optimality conditions; that on a
// small box in the norm of any K⁻¹: the variational inequality at every vertex proves it. And the
// matrices of Persoz's gephyroid: what the paper defines, against the formulas of the code. The
// velocities of a chain with dry friction: its optimality conditions.

#include "rheology/box_projection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "base/block_sum.hpp"
#include "rheology/persoz.hpp"
#include "rheology/total_variation.hpp"

namespace masing::test_projections {

using rheology::GephyroidSprings;
using Matrix = rheology::Matrix3;
using Vector = std::vector<double>;
using rheology::Vector3;
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
  ASSERT_TRUE(std::isfinite(shift));
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
  const auto whole = [&](unsigned count) { return static_cast<double>(random() % count); };
  Case data{.k0 = 0.5 * whole(4), .value = {}, .bound = {}, .compliance = {}};
  for (std::size_t i = 0; i < n; ++i) {
    data.bound.push_back(0.5 * whole(4));
    data.value.push_back(0.5 * (whole(13) - 6));
    data.compliance.push_back(1 + whole(2));
  }
  return data;
}

TEST(BoxProjection, meets_the_optimality_conditions) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 1 + random() % 50;
    SCOPED_TRACE(round);
    for (const double k0 : {1e-6, 1.0, 1e6}) {
      for (const double drift : {0.1, 3.0, 1e4}) {
        const Case data = generic(n, k0, drift, random);
        ASSERT_NO_FATAL_FAILURE(expect_optimal(data, rheology::common_shift(data.elements())));
      }
    }
    const Case ties = degenerate(n, random);
    ASSERT_NO_FATAL_FAILURE(expect_optimal(ties, rheology::common_shift(ties.elements())));
  }
}

/// Springs from 1e-9 to 1e9 beside a k0 of 1e12, and drifts of 1e±150.
TEST(BoxProjection, ends_whatever_the_scales) {
  std::mt19937_64 random(5);
  for (const double drift : {1e-300, 1e-150, 1.0, 1e150}) {
    Case data = generic(2000, 1e12, drift, random);
    for (double& compliance : data.compliance) {
      compliance = std::pow(10.0, std::uniform_real_distribution<double>(-9, 9)(random));
    }
    expect_optimal(data, rheology::common_shift(data.elements()));
    data.value[1] = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(std::isnan(rheology::common_shift(data.elements())));
  }
}

double determinant(const Matrix& a) {
  return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
         a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

/// K⁻¹ v by Cramer's rule.
Vector3 solved(const Matrix& matrix, const Vector3& value) {
  Vector3 solution{};
  for (std::size_t column = 0; column < 3; ++column) {
    Matrix replaced = matrix;
    for (std::size_t row = 0; row < 3; ++row) {
      replaced[row][column] = value[row];
    }
    solution[column] = determinant(replaced) / determinant(matrix);
  }
  return solution;
}

double dot(const Vector3& a, const Vector3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// (K⁻¹(v - w))ᵀ(z - w) ≤ 0 for all z of the box, which its vertices imply.
void expect_nearest(const Matrix& matrix, const Vector3& bound, const Vector3& value) {
  const Vector3 point = rheology::BoxProjection3(matrix, bound).project(value);
  Vector3 offset{};
  double size = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_LE(std::abs(point[i]), bound[i]);
    offset[i] = value[i] - point[i];
    size += std::abs(value[i]) + bound[i];
  }
  const Vector3 multiplier = solved(matrix, offset);
  const double condition =
      std::pow(matrix[0][0] + matrix[1][1] + matrix[2][2], 3) / determinant(matrix);
  for (unsigned vertex = 0; vertex < 8; ++vertex) {
    Vector3 to_vertex{};
    for (std::size_t i = 0; i < 3; ++i) {
      to_vertex[i] = ((vertex >> i) & 1U) != 0 ? bound[i] - point[i] : -bound[i] - point[i];
    }
    ASSERT_LE(dot(multiplier, to_vertex), 8 * eps * condition * size * size / matrix[0][0]);
  }
}

GephyroidSprings random_springs(std::mt19937_64& random) {
  std::lognormal_distribution<double> positive;
  return {.k0 = positive(random),
          .k1 = positive(random),
          .k2 = positive(random),
          .k3 = positive(random)};
}

/// Points anywhere, and such in whole numbers: on edges and vertices, and of flat boxes.
TEST(ActiveSet, meets_the_variational_inequality) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0.0, 4.0);
  const auto whole = [&](unsigned count) { return static_cast<double>(random() % count); };
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    ASSERT_NO_FATAL_FAILURE(expect_nearest(rheology::stiffness_matrix(random_springs(random)),
                                           {2, 3, 1},
                                           {normal(random), normal(random), normal(random)}));
    const Matrix matrix = rheology::stiffness_matrix(
        {.k0 = whole(2), .k1 = 1 + whole(2), .k2 = 1 + whole(2), .k3 = 1 + whole(2)});
    ASSERT_NO_FATAL_FAILURE(expect_nearest(matrix, {whole(3), whole(3), whole(3)},
                                           {whole(9) - 4, whole(9) - 4, whole(9) - 4}));
  }
}

/// E = k0 Uᵀ K⁻¹, that is K Eᵀ = k0 U; and Q⁻¹ = K⁻¹ + EᵀE/δ applied to Q's columns gives those of
/// the identity.
TEST(Gephyroid, has_the_papers_force_and_quasistatic_matrix) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    const GephyroidSprings k = random_springs(random);
    const auto force = rheology::force_on_mass(k);
    const Matrix matrix = rheology::stiffness_matrix(k);
    const Matrix quasistatic = rheology::quasistatic_matrix(k);
    const double condition = std::pow(matrix[2][2], 3) / determinant(matrix);
    EXPECT_NEAR(rheology::determinant(k) / determinant(matrix), 1.0, 1e-10);
    EXPECT_NEAR(force.stiffness * (1 / k.k0 + 1 / k.k1 + 1 / k.k2 + 1 / k.k3), 1.0, 8 * eps);
    EXPECT_NEAR(k.k0 * (1 - dot(force.friction, {1, 1, -1})), force.stiffness, 8 * eps * k.k0);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(dot(matrix[i], force.friction), i == 2 ? -k.k0 : k.k0, 8 * eps * matrix[2][2]);
      const Vector3 direct = solved(matrix, quasistatic[i]);
      const double along = dot(force.friction, quasistatic[i]) / force.stiffness;
      for (std::size_t row = 0; row < 3; ++row) {
        EXPECT_NEAR(direct[row] + force.friction[row] * along, row == i ? 1.0 : 0.0,
                    32 * eps * condition * (1 + std::abs(along)));
      }
      EXPECT_NEAR(along, i == 2 ? -1.0 : 1.0, 64 * eps * condition);
    }
  }
}

/// det K > 0, but k1 and k2 are lost in the rounding of K.
TEST(Gephyroid, is_refused_where_its_matrix_is_singular_to_rounding) {
  const Matrix matrix =
      rheology::stiffness_matrix({.k0 = 1.0, .k1 = 1e-20, .k2 = 1e-20, .k3 = 1.0});
  EXPECT_THROW((rheology::BoxProjection3(matrix, {1, 1, 1})), base::UserError);
}

/// The optimality conditions of the velocities whose targets are the values and whose masses are
/// the compliances, up to what rounding leaves of a balance of impulses; sufficient, as the cost is
/// convex.
void expect_balanced(const Case& data) {
  const Vector& mass = data.compliance;
  Vector y = data.value;
  rheology::TotalVariation minimiser(y.size());
  const auto g = minimiser.solve(mass, data.bound, y);
  double size = 0.0;
  for (const double target : data.value) {
    size = std::max(size, std::abs(target));
  }
  const double rounding = 8 * eps * size * std::sqrt(static_cast<double>(y.size())) *
                          std::accumulate(mass.begin(), mass.end(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double after = i + 1 < y.size() ? g[i + 1] : 0.0;
    const double slip = y[i] - (i == 0 ? 0.0 : y[i - 1]);
    ASSERT_NEAR(mass[i] * (y[i] - data.value[i]) + g[i] - after, 0.0, rounding) << i;
    ASSERT_LE(std::abs(g[i]), data.bound[i]) << i;
    if (slip != 0) {
      ASSERT_EQ(g[i], std::copysign(data.bound[i], slip)) << i;
    }
  }
}

TEST(TotalVariation, meets_the_optimality_conditions) {
  std::mt19937_64 random(1);
  const auto chain = [&](std::size_t n, double friction) {
    Case data = generic(n, 0.0, 1.0, random);
    std::ranges::for_each(data.bound, [&](double& bound) { bound *= friction; });
    return data;
  };
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 40;
    SCOPED_TRACE(round);
    for (const double friction : {0.01, 1.0, 30.0}) {
      ASSERT_NO_FATAL_FAILURE(expect_balanced(chain(n, friction)));
    }
    Case ties = degenerate(n, random);
    ties.bound[random() % n] = 1e15;
    ASSERT_NO_FATAL_FAILURE(expect_balanced(ties));
  }
  for (const double friction : {0.1, 10.0, 1000.0}) {
    ASSERT_NO_FATAL_FAILURE(expect_balanced(chain(100'000, friction)));
  }
}

}  // namespace masing::test_projections
