// The resolvents of the models against a descent that knows nothing of them: each is the minimum of
// a quadratic over a box, of its own unknowns or of its dual, the friction forces.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "rheology/box_projection.hpp"
#include "rheology/friction.hpp"
#include "rheology/persoz.hpp"
#include "rheology/total_variation.hpp"

namespace masing::test_resolvents {

using Numbers = std::vector<double>;
using Entries = std::function<double(std::size_t, std::size_t)>;

/// What the descent leaves where it moves no unknown of order one by more than 1e-15.
constexpr double tolerance = 1e-9;

/// argmin ½ wᵀH w - bᵀw, |w| ≤ α, for a symmetric positive definite H, by one unknown after
/// another.
Numbers minimum(const Entries& hessian, const Numbers& linear, const Numbers& bound) {
  Numbers point(linear.size());
  double change = 1.0;
  while (change > 0.0) {
    change = 0.0;
    for (std::size_t i = 0; i < point.size(); ++i) {
      double gradient = -linear[i];
      for (std::size_t j = 0; j < point.size(); ++j) {
        gradient += hessian(i, j) * point[j];
      }
      const double next = std::clamp(point[i] - gradient / hessian(i, i), -bound[i], bound[i]);
      const double moved = std::abs(next - point[i]);
      change = std::max(change, moved > 1e-15 ? moved : 0.0);
      point[i] = next;
    }
  }
  return point;
}

Numbers drawn(std::size_t n, auto distribution, std::mt19937_64& random) {
  Numbers values(n);
  for (double& value : values) {
    value = distribution(random);
  }
  return values;
}

void expect_near(const Numbers& found, const Numbers& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], tolerance) << i;
  }
}

const std::uniform_real_distribution<double> positive(0.3, 2.0);
const std::normal_distribution<double> normal;

TEST(FrictionImpulse, IsTheMinimumOfItsDual) {
  // The impulse between two masses: ½ p²/μ - p (y2 - y1), |p| ≤ hα; on one, μ = m.
  for (const double slip : {-2.0, -0.1, 0.3, 1.4}) {
    const double m1 = 0.7;
    const double m2 = 2.0;
    const double bound = 0.4;
    const auto impulse = [&](double reduced_mass) {
      return minimum([&](auto, auto) { return 1 / reduced_mass; }, {slip}, {bound})[0];
    };
    EXPECT_NEAR(rheology::friction_impulse(m1, m2, 0.5, 0.5 + slip, bound).impulse,
                impulse(m1 * m2 / (m1 + m2)), tolerance);
    EXPECT_NEAR(rheology::soft_threshold(slip, bound / m1), slip - impulse(m1) / m1, tolerance);
  }
}

TEST(TotalVariation, IsTheMinimumOfItsDual) {
  // y = Y - D⁻¹Bᵀg, (Bᵀg)_i = g_i - g_{i+1}: ½ gᵀ B D⁻¹ Bᵀ g - gᵀ B Y, |g_i| ≤ hα_i.
  std::mt19937_64 random(1);
  for (const std::size_t n : {1, 2, 7, 40}) {
    const Numbers mass = drawn(n, positive, random);
    const Numbers target = drawn(n, normal, random);
    const Numbers bound = drawn(n, positive, random);
    const Entries hessian = [&](std::size_t i, std::size_t j) {
      const auto inverse = [&](std::size_t k) { return 1 / mass[k]; };
      if (i == j) {
        return inverse(i) + (i > 0 ? inverse(i - 1) : 0.0);
      }
      return i == j + 1 ? -inverse(j) : j == i + 1 ? -inverse(i) : 0.0;
    };
    Numbers slip = target;
    for (std::size_t i = n - 1; i > 0; --i) {
      slip[i] -= target[i - 1];
    }
    Numbers velocity(n);
    Numbers impulse(n);
    rheology::TotalVariation(n).solve({mass, bound}, target, velocity);
    rheology::friction_impulses({mass, bound}, target, velocity, impulse);
    expect_near(impulse, minimum(hessian, slip, bound));
  }
}

TEST(BoxProjection, IsTheMinimumInItsNorm) {
  // K⁻¹ = C - C11ᵀC/(1/k0 + Σ 1/k_i), C = diag(1/k_i).
  std::mt19937_64 random(2);
  const double k0 = 1.7;
  for (const std::size_t n : {1, 3, 40}) {
    const Numbers compliance = drawn(n, positive, random);
    const Numbers bound = drawn(n, positive, random);
    Numbers value = drawn(n, normal, random);
    for (double& v : value) {
      v = 2 * v + 1;
    }
    const double sum = base::sum_of_not_negative(compliance, base::NoReduction{});
    const Entries hessian = [&](std::size_t i, std::size_t j) {
      return (i == j ? compliance[i] : 0.0) - compliance[i] * compliance[j] / (1 / k0 + sum);
    };
    Numbers linear(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        linear[i] += hessian(i, j) * value[j];
      }
    }
    const double shift =
        rheology::common_shift({value, bound, compliance}, {k0, sum}, 0.0, base::NoReduction{});
    Numbers point(n);
    rheology::project_shifted(value, bound, shift, point);
    expect_near(point, minimum(hessian, linear, bound));
  }
}

TEST(GephyroidProjection, IsTheMinimumInItsNorm) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    auto stiffness = positive;
    const rheology::GephyroidSprings k{stiffness(random), stiffness(random), stiffness(random),
                                       stiffness(random)};
    const bool massless = round % 2 == 1;
    const auto matrix = massless ? rheology::quasistatic_matrix(k) : rheology::stiffness_matrix(k);
    // K⁻¹ by cofactors.
    const rheology::SmallVector<3> bound{2, 3, 1};
    rheology::SmallMatrix<3> inverse{};
    const double determinant =
        rheology::determinant(massless ? rheology::GephyroidSprings{0, k.k1, k.k2, k.k3} : k);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        const auto at = [&](std::size_t row, std::size_t column) {
          return matrix[(j + row) % 3][(i + column) % 3];
        };
        inverse[i][j] = (at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)) / determinant;
      }
    }
    const Numbers value = drawn(3, std::normal_distribution<double>(0.0, 4.0), random);
    Numbers linear(3, 0.0);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        linear[i] += inverse[i][j] * value[j];
      }
    }
    const auto point =
        rheology::ActiveSetProjection<3>(matrix, bound).project({value[0], value[1], value[2]});
    expect_near(Numbers(point.begin(), point.end()),
                minimum([&](auto i, auto j) { return inverse[i][j]; }, linear,
                        Numbers(bound.begin(), bound.end())));
  }
}

}  // namespace masing::test_resolvents
