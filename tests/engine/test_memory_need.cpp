// Bytes a rank, by hand: 8 a cell for u, each array kept and each field, and the tables of the
// memory; ranks that get no cells.

#include <gtest/gtest.h>

#include "engine/setup.hpp"
#include "support/given.hpp"
#include "support/options.hpp"
#include "support/problem.hpp"
#include "support/world.hpp"

namespace masing::test_memory_need {

using engine::bytes_a_rank;
using engine::MemoryNeed;

constexpr std::int64_t million = std::int64_t{1024} * 1024;

engine::RunSpec run_of(const std::string& options) {
  return given::requested(cli::Command::simulate, given::options(options)).run;
}

double bytes(const std::string& options, int ranks = 1) {
  return bytes_a_rank(engine::memory_need(run_of(options), ranks));
}

TEST(MemoryNeed, of_a_sweep_is_8_bytes_a_cell_and_array) {
  EXPECT_EQ(bytes("cells=1048576"), 8.0 * million);
  EXPECT_EQ(bytes("cells=1048576; stiffness=1+s; threshold=1+s^2; initial-u=s; force=0", 4),
            8.0 * million);
  EXPECT_EQ(bytes("cells=1048576; threshold-down=1+s^2; force=0"), 8.0 * 5 * million)
      << "v, η, v0, c and u";
  EXPECT_EQ(bytes_a_rank({.count = million, .extra_bytes = 1e9}), 8.0 * million + 1e9);
  // One block more than ranks: the first has two.
  EXPECT_EQ(bytes("cells=5120", 4), 8.0 * 2048);
}

TEST(MemoryNeed, of_a_memory_has_its_tables) {
  EXPECT_EQ(bytes("cells=1048576; engine=memory"), 32.0 * million);
  EXPECT_EQ(bytes("cells=1048576; engine=memory; initial-u=0.05; force=0"), 104.0 * million);
  EXPECT_EQ(bytes("cells=1048576; engine=memory; initial-u=0.05*s; force=0"), 112.0 * million);
  EXPECT_EQ(bytes("cells=1000000000; engine=memory"), 8.0) << "no table";
}

TEST(MemoryNeed, of_a_state_counts_the_columns_that_a_rank_holds) {
  const std::string chain = "; set n=1048576; set k=1; set eta=1";
  EXPECT_NEAR(bytes("model=s-chain" + chain, 1), 3 * 64.0 * million, 1.0);
  EXPECT_NEAR(bytes("model=s-chain" + chain, 4), 3 * 16.0 * million, 1.0);
  EXPECT_NEAR(bytes("model=p-chain; set n=1048576; set k=1; set alpha=1"), 2 * 128.0 * million,
              1.0);
}

TEST(IdleRanks, are_those_of_a_split_run_that_get_no_block) {
  const auto idle = [](const std::string& options, int ranks) {
    return engine::idle_ranks(run_of(options), ranks);
  };
  EXPECT_EQ(idle("cells=1000000", 10000), 9023);  // ⌈10⁶/1024⌉ = 977
  EXPECT_EQ(idle("cells=1000448", 978), 1);       // 977·1024
  EXPECT_EQ(idle("cells=1000449", 979), 1);
  EXPECT_EQ(idle("cells=1000000", 977), 0);
  EXPECT_EQ(idle("cells=1000000", 1), 0);
  EXPECT_EQ(idle("cells=1000", 100), 0) << "one rank makes it";
  EXPECT_EQ(idle("cells=1000000; engine=memory", 10000), 0) << "one rank makes it";
  const std::string chain = "model=s-chain; set n=5000; set m=1; set k=1; set eta=1";
  EXPECT_EQ(idle(chain, 7), 2);  // ⌈5000/1024⌉ = 5
  EXPECT_EQ(idle(chain, 5), 0);
}

TEST(RequireMemory, refuses_what_does_not_fit) {
  const auto says = [](const MemoryNeed& need, double available) {
    return given::mistake([&] { engine::require_memory(need, available); });
  };
  const double gibibyte = 1 << 30;
  const std::int64_t count = std::int64_t{1} << 30;
  EXPECT_EQ(says({.count = count}, 8 * gibibyte), "");
  EXPECT_EQ(says({.count = count}, 4 * gibibyte),
            "cells: 1073741824 cells need at least 8.0 GiB a rank, 4.0 GiB may be used; give "
            "fewer, cells = inf, or the engine sweep and more nodes");
  EXPECT_EQ(says({.count = count, .parts = "columns", .ranks = 2, .bytes_each = 64}, 4 * gibibyte),
            "n: 1073741824 columns need at least 32.0 GiB a rank, 4.0 GiB may be used; give fewer");
}

TEST(CheckedProfile, refuses_before_a_look_at_the_cells) {
  // With a look at every cell this would take a day; the fault in k would then be found first.
  const support::Problem problem =
      support::problem({.stiffness = "-s", .space = slab::Cells{std::int64_t{1} << 45}});
  const std::string said =
      given::mistake([&] { engine::checked_profile(support::alone(), problem); });
  EXPECT_NE(said.find("may be used"), std::string::npos) << said;
}

TEST(CheckedProfile, refuses_the_arrays_that_it_would_keep) {
  const auto fits = [](const char* stiffness) {
    const support::Problem problem = support::problem(
        {.stiffness = stiffness, .threshold = "s+0.1", .space = slab::Cells{8192}});
    const std::string said = given::mistake([&] {
      engine::checked_profile(support::alone(), problem, engine::Method::sweep, 12.0 * 8192);
    });
    return said.empty();
  };
  EXPECT_TRUE(fits("2"));
  EXPECT_FALSE(fits("2+s"));
}

}  // namespace masing::test_memory_need
