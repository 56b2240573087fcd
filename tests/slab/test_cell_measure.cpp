// Tables of P cells: exact sums and look-ups, and sums over the sets of cells that have yielded,
// against sums cell by cell.
#include "slab/profile.hpp"
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

TEST(CellTable, CountsEveryCellUpToTheRadiusWhereverTheFrontWasBefore) {
  const std::vector<double> thresholds{0.5, 0.1, 0.9, 0.5, 0.3, 0.5, 0.7};
  const std::vector<double> stiffness{1, 2, 4, 8, 16, 32, 64};
  const auto table = slab::make_cell_measure({{.stiffness = {stiffness.begin(), stiffness.end()},
                                               .threshold = {thresholds.begin(), thresholds.end()}},
                                              {0, 7},
                                              {}});
  std::mt19937_64 random(5);
  std::uniform_int_distribution<int> tenth(-1, 11);
  slab::SearchHint hint;
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
    ASSERT_NEAR(table->below(r, hint).stiffness, k, 1e-14) << "r = " << r;
    ASSERT_NEAR(table->below(r, hint).force, force, 1e-14) << "r = " << r;
    ASSERT_EQ(table->next_break(r, hint), next) << "r = " << r;
  }
  EXPECT_EQ(table->below(1.0, hint).stiffness, table->total().stiffness);
}

TEST(ExactSums, RefuseScalesThatWouldOverflow) {
  EXPECT_ANY_THROW(ExactScale(1e250, 1.0, 10));
  EXPECT_ANY_THROW(ExactScale(1.0, 0.0, 10));
}

/// The sums cell by cell, in long double.
slab::OuterSums sums_of_cells(const std::vector<slab::Element>& cells,
                              const slab::Excursion& excursion, int direction) {
  long double opposite = 0;
  long double never = 0;
  long double force = 0;
  for (const auto& [k, eta, u0, shift] : cells) {
    const bool up = eta - u0 <= excursion.up;
    const bool down = eta + u0 <= excursion.down;
    const bool settled = 2 * eta <= excursion.span || (up && down);
    force += static_cast<long double>(k) * (settled ? direction * eta
                                            : up    ? eta
                                            : down  ? -eta
                                                    : u0);
    never += settled || up || down ? 0.0 : k;
    opposite += !settled && (direction > 0 ? down : up) ? k : 0.0;
  }
  const auto count = static_cast<long double>(cells.size());
  return {static_cast<double>(opposite / count), static_cast<double>(never / count),
          static_cast<double>(force / count)};
}

TEST(CellSets, HaveTheSumsOfTheirCellsWhateverTheExtremesWereBefore) {
  std::mt19937_64 random(8);
  const auto eighth = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random) / 8.0;
  };
  std::vector<slab::Element> cells;
  slab::Profile profile{{}, {0, 200}, {}};
  for (int i = 0; i < 200; ++i) {
    const double eta = eighth(1, 8);
    const double u0 = std::clamp(eighth(-8, 8), -eta, eta);
    cells.push_back({0.5 + eighth(0, 8) / 3, eta, u0});
    profile.stiffness.push_back(cells.back().stiffness);
    profile.threshold.push_back(eta);
    profile.initial_u.push_back(u0);
  }
  const auto measure = slab::make_cell_measure(profile);
  slab::SearchHint hint;
  for (int look_up = 0; look_up < 3000; ++look_up) {
    const double up = eighth(0, 9);
    const double down = eighth(0, 9);
    const slab::Excursion excursion{up, down, up + down};
    for (const int direction : {-1, 1}) {
      const slab::OuterSums found = measure->outer(excursion, direction, hint);
      const slab::OuterSums wanted = sums_of_cells(cells, excursion, direction);
      ASSERT_NEAR(found.opposite, wanted.opposite, 1e-15);
      ASSERT_NEAR(found.never, wanted.never, 1e-15);
      ASSERT_NEAR(found.force, wanted.force, 1e-15);
    }
  }
}

}  // namespace masing::test_cell_measure
