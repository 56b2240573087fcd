// The tables of a slab that stays distributed, against the table of all cells: the same bits.
#include "engine/distributed_measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "base/partition.hpp"
#include "slab/turning_points/cell_measure.hpp"
#include "slab/turning_points/turning_points.hpp"
#include "support/world.hpp"

namespace masing::test_distributed_measure {

/// η = 0.3 + (s - 0.4)² in disorder, k not constant, u0 = `share` η times noise.
slab::Profile all_cells(std::int64_t cells, double share) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> noise(-1, 1);
  slab::Profile profile{{}, {0, cells}, {}};
  for (std::int64_t i = 0; i < cells; ++i) {
    const double s = (static_cast<double>(i * 7919 % cells) + 0.5) / static_cast<double>(cells);
    profile.stiffness.push_back(1 + 0.3 * std::sin(9 * s));
    profile.threshold.push_back(0.3 + (s - 0.4) * (s - 0.4));
    profile.initial_u.push_back(share * noise(random) * profile.threshold.back());
  }
  return profile;
}

slab::Profile slab(const slab::Profile& all) {
  const base::CellRange range =
      base::local_range(all.range.size, support::world().rank(), support::world().size());
  const auto part = [&](const base::AlignedVector& values) {
    return base::AlignedVector(values.begin() + range.first,
                               values.begin() + range.first + range.size);
  };
  return {{part(all.stiffness), part(all.threshold), part(all.initial_u)}, range, {}};
}

TEST(DistributedMeasure, HasTheBitsOfTheTableOfAllCells) {
  // 3000 cells are three blocks: a fourth rank has none.
  for (const double share : {0.0, 0.5, 1.0}) {
    SCOPED_TRACE("u0 up to " + std::to_string(share) + " eta");
    const slab::Profile all = all_cells(3000, share);
    const auto whole = slab::make_cell_measure(all);
    const auto distributed =
        engine::distributed_measure(support::world(), slab(all), all.range.size);
    slab::TurningPoints on_whole(*whole, 0.1);
    slab::TurningPoints on_distributed(*distributed, 0.1);
    EXPECT_EQ(on_distributed.internal_force(), on_whole.internal_force());
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal(0.0, 0.2);
    double x = 0.1;
    for (int step = 0; step < 500; ++step) {
      x = 0.98 * x + normal(random);
      const double force = on_whole.move_to(x);
      ASSERT_EQ(on_distributed.move_to(x), force) << "step " << step;
      ASSERT_EQ(on_distributed.next_break(), on_whole.next_break()) << "step " << step;
    }
    EXPECT_EQ(on_distributed.state().positions, on_whole.state().positions);
    EXPECT_EQ(on_distributed.state().opposite, on_whole.state().opposite);
  }
}

}  // namespace masing::test_distributed_measure
