// Models as engines run them: those whose elements are split over the ranks have the same bits as
// on one rank, whether ranks have many elements, one block or none; the discrete Masing model with
// the weights of a slab is that slab.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/setup.hpp"
#include "support/gather.hpp"
#include "support/options.hpp"
#include "support/trajectory.hpp"
#include "support/world.hpp"

namespace masing::test_models {

using given::Options;
using support::same_bits;

/// What a model does over a few hundred steps: the mass that F acts on, and all columns at the end.
struct Motion {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> restoring;
  std::vector<double> columns;
};

engine::RunSpec run_of(Options options) {
  options.insert({{"force", "3*sin(t)"}, {"final-time", "6"}, {"steps", "300"}});
  return given::requested(cli::Command::simulate, options).run;
}

/// Collective on `comm`.
Motion motion(const parallel::Communicator& comm, engine::RunSpec run) {
  run.split_from = 1;
  const engine::Setup setup = engine::make_setup(comm, run);
  const auto steps = static_cast<std::size_t>(run.time.steps);
  Motion made{std::vector<double>(steps + 1),
              std::vector<double>(steps + 1),
              std::vector<double>(steps + 1),
              {}};
  const engine::Sample start = setup.engine->sample();
  made.x[0] = start.x;
  made.y[0] = start.y;
  made.restoring[0] = start.restoring;
  std::vector<double> force(steps + 1);
  for (std::size_t p = 0; p <= steps; ++p) {
    force[p] = run.drive(run.time.time(static_cast<std::int64_t>(p)));
  }
  setup.engine->advance({.first = 0,
                         .force = force,
                         .x = std::span(made.x).subspan(1),
                         .y = std::span(made.y).subspan(1),
                         .restoring = std::span(made.restoring).subspan(1)});
  const auto all = support::gather(comm, setup.engine->field().values());
  made.columns.assign(all.begin(), all.end());
  return made;
}

void expect_same_on_any_ranks(const engine::RunSpec& run) {
  const Motion split = motion(support::world(), run);
  const Motion whole = motion(support::alone(), run);
  EXPECT_TRUE(same_bits(split.x, whole.x));
  EXPECT_TRUE(same_bits(split.y, whole.y));
  EXPECT_TRUE(same_bits(split.restoring, whole.restoring));
  EXPECT_TRUE(same_bits(split.columns, whole.columns));
  EXPECT_EQ(split.columns.size(), static_cast<std::size_t>(engine::field_size(run)));
  // There is something to compare: every column has moved.
  for (std::size_t i = 0; i < whole.columns.size(); ++i) {
    ASSERT_NE(whole.columns[i], 0.0) << i;
  }
}

class SplitModels : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static std::string n() { return std::to_string(GetParam()); }
};

TEST_P(SplitModels, ChainHasTheSameBits) {
  expect_same_on_any_ranks(run_of({{"model", "s-chain"},
                                   {"set n", n()},
                                   {"set m", "2-cos(i)"},
                                   {"set k", "1+i/n"},
                                   {"set eta", "0.1+i/n"},
                                   {"set y0", "1+sin(7*i)"},
                                   {"set u0", "0.1*sin(3*i)"}}));
}

TEST_P(SplitModels, SeriesHasTheSameBits) {
  expect_same_on_any_ranks(run_of({{"model", "p-series"},
                                   {"set n", n()},
                                   {"set k0", "0.7"},
                                   {"set k", "n*(1+i/n)"},
                                   {"set alpha", "0.3+sin(i)^2"},
                                   {"set y0", "1"},
                                   {"set v0", "0.3*sin(5*i)"}}));
}

// One block of elements, four of unequal length: with both, some rank of four is at an end, between
// others, or idle.
INSTANTIATE_TEST_SUITE_P(Elements, SplitModels, testing::Values(1, 3, 1024, 3100));

TEST(DiscreteMasing, WithCellWidthsForWeightsIsTheSlab) {
  const Motion continuous = motion(
      support::alone(),
      run_of({{"stiffness", "1+s"}, {"threshold", "s+0.1"}, {"k0", "0.2"}, {"cells", "40"}}));
  const Motion discrete = motion(support::alone(), run_of({{"model", "discrete-masing"},
                                                           {"set n", "40"},
                                                           {"set k0", "0.2"},
                                                           {"set k", "(1+i/n)/n"},
                                                           {"set eta", "i/n+0.1"}}));
  const auto expect_near = [](const std::vector<double>& a, const std::vector<double>& b,
                              std::size_t first_of_b) {
    ASSERT_EQ(a.size() + first_of_b, b.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      // Sums in another order.
      ASSERT_NEAR(a[i], b[i + first_of_b], 1e-12) << i;
      largest = std::max(largest, std::abs(a[i]));
    }
    EXPECT_GT(largest, 0.1);
  };
  expect_near(continuous.x, discrete.x, 0);
  expect_near(continuous.y, discrete.y, 0);
  expect_near(continuous.restoring, discrete.restoring, 0);
  expect_near(continuous.columns, discrete.columns, 2);  // u beside x, y, u
}

TEST(Neighbours, TellWhatLiesBeyondTheEnds) {
  const parallel::Communicator& world = support::world();
  const int holders = std::max(1, world.size() - 1);  // the last rank has none, unless alone
  const bool holds = world.rank() < holders;
  const std::int64_t each = 10;
  const base::CellRange mine{holds ? each * world.rank() : each * holders, holds ? each : 0};
  parallel::Neighbours neighbours(world, mine, each * holders);
  for (int round = 0; round < 3; ++round) {
    const double me = world.rank() + 100 * round;
    const auto received = neighbours.exchange(me + 0.25, me + 0.75);
    EXPECT_EQ(received.from_before, holds && world.rank() > 0 ? me - 1 + 0.75 : 0.0);
    EXPECT_EQ(received.from_after, world.rank() + 1 < holders ? me + 1 + 0.25 : 0.0);
  }
}

}  // namespace masing::test_models
