// Bytes a rank, by hand: 8 a cell for u, each array kept and each field, and the tables of the
// memory; ranks that get no cells.

#include <gtest/gtest.h>

#include "engine/setup.hpp"
#include "rheology/catalogue.hpp"
#include "support/given.hpp"
#include "support/options.hpp"
#include "support/problem.hpp"
#include "support/world.hpp"

namespace masing::test_memory_need {

using engine::bytes_a_rank;
using engine::MemoryNeed;

constexpr std::int64_t million = std::int64_t{1024} * 1024;

TEST(MemoryNeed, of_a_sweep_is_8_bytes_a_cell_and_array) {
  EXPECT_EQ(bytes_a_rank({.cells = million}), 8.0 * million);
  EXPECT_EQ(bytes_a_rank({.cells = million, .ranks = 4, .arrays = 3}), 8.0 * million);
  EXPECT_EQ(bytes_a_rank({.cells = million, .extra_bytes = 1e9}), 8.0 * million + 1e9);
  // One block more than ranks: the first has two.
  EXPECT_EQ(bytes_a_rank({.cells = 5120, .ranks = 4}), 8.0 * 2048);
  EXPECT_EQ(bytes_a_rank({.cells = std::int64_t{1} << 53, .arrays = 3}), 0x1p58);
}

TEST(MemoryNeed, of_a_memory_has_its_tables) {
  MemoryNeed need{.cells = million, .has_table = true};
  EXPECT_EQ(bytes_a_rank(need), 32.0 * million);
  need.has_initial_u = true;
  EXPECT_EQ(bytes_a_rank(need), 104.0 * million);
  need.arrays = 1;
  EXPECT_EQ(bytes_a_rank(need), 112.0 * million);
}

TEST(MemoryNeed, of_a_state_counts_the_columns_that_a_rank_holds) {
  const auto need = [](const std::string& model, int ranks) {
    return bytes_a_rank({.cells = million,
                         .ranks = ranks,
                         .extra_bytes = 1000.0,
                         .state = rheology::catalogue_entry(model).info.work});
  };
  EXPECT_EQ(need("s-chain", 1), 64.0 * million + 1000.0);
  EXPECT_EQ(need("s-chain", 4), 16.0 * million + 1000.0);
  EXPECT_EQ(need("p-chain", 1), 128.0 * million + 1000.0);
}

TEST(IdleRanks, are_those_of_a_split_run_that_get_no_block) {
  const auto idle = [](const std::string& options, int ranks) {
    const auto request = given::requested(cli::Command::simulate, given::options(options));
    return engine::idle_ranks(request.run, ranks);
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

TEST(MemoryShortage, says_what_would_help_and_only_that) {
  const auto says = [](const MemoryNeed& need, double available) {
    const auto shortage = engine::memory_shortage(need, available);
    return shortage ? std::string(shortage->what()) : "";
  };
  const double gibibyte = 1 << 30;
  const std::int64_t cells = std::int64_t{1} << 30;
  EXPECT_EQ(says({.cells = cells}, 8 * gibibyte), "");
  EXPECT_EQ(says({.cells = cells}, 4 * gibibyte),
            "cells: P = 1073741824 needs at least 8.0 GiB a rank, 4.0 GiB may be used; use more "
            "ranks on more nodes or the engine memory with cells = inf");
  EXPECT_EQ(says({.cells = cells, .state = rheology::Work::split}, 4 * gibibyte),
            "n: a state of 1073741824 columns needs 64.0 GiB a rank, 4.0 GiB may be used; use "
            "fewer elements or more ranks on more nodes");
  EXPECT_EQ(says({.cells = cells, .state = rheology::Work::replicated}, 4 * gibibyte),
            "n: a state of 1073741824 columns needs 128.0 GiB a rank, 4.0 GiB may be used; use "
            "fewer elements");
  const auto has = [&](const MemoryNeed& need, double available, const char* words) {
    return says(need, available).find(words) != std::string::npos;
  };
  const MemoryNeed memory{.cells = cells, .has_table = true};
  EXPECT_TRUE(has(memory, 9 * gibibyte, "use cells = inf or the engine sweep"));
  EXPECT_FALSE(has(memory, 7 * gibibyte, "the engine"));
  MemoryNeed smooth = memory;
  smooth.is_smooth = true;
  EXPECT_TRUE(has(smooth, 9 * gibibyte, "inf or the engine memory or the engine sweep"));
  EXPECT_TRUE(has(smooth, 7 * gibibyte, "use cells = inf or the engine memory"));
  EXPECT_TRUE(has({.cells = cells, .extra_bytes = 1e12}, gibibyte, "a reference that needs less"));
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
      engine::checked_profile(support::alone(), problem, engine::Method::sweep,
                              {.available = 12.0 * 8192});
    });
    return said.empty();
  };
  EXPECT_TRUE(fits("2"));
  EXPECT_FALSE(fits("2+s"));
}

}  // namespace masing::test_memory_need
