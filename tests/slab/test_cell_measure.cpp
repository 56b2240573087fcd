// Tables of P cells: exact sums, look-ups, and the condition on the initial state.
#include "slab/turning_points/cell_measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace masing {

namespace {

using slab::CellTable;
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

TEST(CellTable, CountsEveryCellUpToTheRadiusWhereverTheFrontWasBefore) {
  const std::vector<double> thresholds{0.5, 0.1, 0.9, 0.5, 0.3, 0.5, 0.7};
  const std::vector<double> stiffness{1, 2, 4, 8, 16, 32, 64};
  const CellTable table(thresholds, stiffness, ExactScale(64, 64, 7));
  std::mt19937_64 random(5);
  std::uniform_int_distribution<int> tenth(-1, 11);
  for (int look_up = 0; look_up < 2000; ++look_up) {
    const double r = tenth(random) / 10.0;
    double k = 0.0;
    double force = 0.0;
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 7; ++i) {
      k += thresholds[i] <= r ? stiffness[i] / 7 : 0.0;
      force += thresholds[i] <= r ? stiffness[i] * thresholds[i] / 7 : 0.0;
      next = thresholds[i] > r ? std::min(next, thresholds[i]) : next;
    }
    ASSERT_NEAR(table.below(r).stiffness, k, 1e-14) << "r = " << r;
    ASSERT_NEAR(table.below(r).force, force, 1e-14) << "r = " << r;
    ASSERT_EQ(table.next_break(r), next) << "r = " << r;
  }
  EXPECT_EQ(table.below(1.0).stiffness, table.total().stiffness);
}

TEST(CellTable, HasTheSameBitsForAnyOrderOfTheCells) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  std::vector<std::pair<double, double>> cells(1000);
  for (auto& [eta, k] : cells) {
    eta = std::round(100 * uniform(random)) / 100;  // many ties
    k = uniform(random);
  }
  const auto table = [&] {
    std::vector<double> thresholds;
    std::vector<double> stiffness;
    for (const auto& [eta, k] : cells) {
      thresholds.push_back(eta);
      stiffness.push_back(k);
    }
    return CellTable(thresholds, stiffness, ExactScale(1, 1, 1000));
  };
  const CellTable first = table();
  std::ranges::shuffle(cells, random);
  const CellTable second = table();
  std::ranges::sort(cells, std::greater());
  const CellTable third = table();
  for (int i = 0; i <= 1100; ++i) {
    const double r = i / 1000.0;
    ASSERT_EQ(first.below(r).stiffness, second.below(r).stiffness);
    ASSERT_EQ(first.below(r).force, second.below(r).force);
    ASSERT_EQ(first.below(r).force, third.below(r).force);
  }
}

TEST(CellTable, CountsCellsThatStandOnTheFront) {
  const double third = 1.0 / 3;
  const CellTable table(std::vector{third}, std::vector{3.0}, ExactScale(3, 1, 1));
  EXPECT_EQ(table.below(std::nextafter(third, 0.0)).stiffness, 0.0);
  EXPECT_EQ(table.below(third).stiffness, 3.0);
}

TEST(ExactSums, RefuseScalesThatWouldOverflow) {
  EXPECT_ANY_THROW(ExactScale(1e250, 1.0, 10));
  EXPECT_ANY_THROW(ExactScale(1.0, 0.0, 10));
}

TEST(MemoryFault, AcceptsWhatTheModelCanReachAndNamesWhatItCannot) {
  const std::array eta{0.4, 0.1, 0.2, 0.3};
  const auto conflict = [&](const std::array<double, 4>& u0) {
    std::vector<slab::Element> cells;
    for (std::size_t i = 0; i < 4; ++i) {
      cells.push_back({.threshold = eta[i], .initial_u = u0[i]});
    }
    return slab::start_conflict(cells);
  };
  EXPECT_FALSE(conflict({0.0, 0.0, 0.0, 0.0}));
  EXPECT_FALSE(conflict({0.4, 0.1, 0.2, 0.3}));
  const auto found = conflict({0.1, -0.1, -0.2, -0.1});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->one.initial_u, -0.1);
  EXPECT_EQ(found->one.threshold, 0.3);
  EXPECT_EQ(found->other.initial_u, 0.1);
  EXPECT_EQ(found->other.threshold, 0.4);
  EXPECT_TRUE(slab::start_conflict({.threshold = 0.5, .initial_u = 0.1},
                                   {.threshold = 0.5, .initial_u = 0.2}));
}

TEST(StartConflict, AllowsForTheRoundingOfDifferences) {
  const auto element = [](double eta, double u0) {
    slab::Element cell;
    cell.threshold = eta;
    cell.initial_u = u0;
    return cell;
  };
  // 0.3 - 0.1 is less than 0.2 in doubles.
  EXPECT_FALSE(slab::start_conflict(element(0.3, 0.1), element(0.1, -0.1)));
  EXPECT_TRUE(slab::start_conflict(element(0.3, 0.1), element(0.1, -0.1 - 1e-12)));
}

}  // namespace

}  // namespace masing
