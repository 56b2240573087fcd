// The exact sums of which the tables of P cells are made. Looking up in these is tested where
// turning points are compared with clamping every cell.
#include "slab/turning_points/measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace masing::test_cell_measure {

using slab::ExactScale;
using slab::Sums;

TEST(ExactSums, DoNotDependOnTheOrder) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> spread(0.0, 4.0);
  std::vector<std::pair<double, double>> cells(5000);
  double most_stiffness = 0.0;
  double most_force = 0.0;
  for (auto& [k, eta] : cells) {
    k = spread(random);
    eta = spread(random);
    most_stiffness = std::max(most_stiffness, k);
    most_force = std::max(most_force, k * eta);
  }
  const ExactScale scale(most_stiffness, most_force, 5000);
  const auto sum = [&] {
    slab::ExactSums sums;
    for (const auto& [k, eta] : cells) {
      sums += scale.term(k, eta);
    }
    return scale.value(sums);
  };
  const Sums first = sum();
  for (int shuffle = 0; shuffle < 5; ++shuffle) {
    std::ranges::shuffle(cells, random);
    EXPECT_EQ(sum().stiffness, first.stiffness);
    EXPECT_EQ(sum().force, first.force);
  }
}

TEST(ExactSums, KeepTenMillionEqualTermsToTheLastDigit) {
  // 64 bits a cell would be wrong by 1e-12, doubles added one by one by 1e-10.
  const std::int64_t cells = 10'000'000;
  const ExactScale scale(0.1, 0.07, cells);
  slab::ExactSums sums;
  for (std::int64_t i = 0; i < cells; ++i) {
    sums += scale.term(0.1, 0.7);
  }
  EXPECT_EQ(scale.value(sums).stiffness, 0.1);
  EXPECT_DOUBLE_EQ(scale.value(sums).force, 0.07);
}

TEST(ExactSums, RefuseScalesThatWouldOverflow) {
  EXPECT_ANY_THROW(ExactScale(1e250, 1.0, 10));
  EXPECT_ANY_THROW(ExactScale(1.0, 0.0, 10));
}

}  // namespace masing::test_cell_measure
