// What a run needs and holds on each rank: bytes by hand (8 a cell for u, each array kept and each
// field, and the tables of the memory), the cells of each rank, and mistakes told alike on all.

#include "engine/setup.hpp"

#include <gtest/gtest.h>

#include "base/limits.hpp"
#include "support/given.hpp"
#include "support/options.hpp"
#include "support/problem.hpp"
#include "support/trajectory.hpp"
#include "support/world.hpp"

namespace masing::test_setup {

using engine::MemoryNeed;

engine::RunSpec run_of(const std::string& options) {
  return given::requested(cli::Command::simulate, given::options(options)).run;
}

MemoryNeed need_of(const engine::RunSpec& run) {
  return run.model->memory(run.method);
}

TEST(MemoryNeed, is_8_bytes_for_each_number_kept) {
  constexpr double million = 1024 * 1024;
  struct Row {
    const char* options;
    int ranks;
    double bytes;
  };
  const std::string chain = "set n=1048576; set k=1; set ";
  for (const auto& [options, ranks, bytes] : {
           Row{"cells=1048576", 1, 8 * million},
           Row{"cells=1048576; stiffness=1+s; threshold=1+s^2; initial-u=s; force=0", 4,
               8 * million},
           // v, η, v0, c and u
           Row{"cells=1048576; threshold-down=1+s^2; force=0", 1, 8 * 5 * million},
           // One block more than ranks: the first has two.
           Row{"cells=5120", 4, 8 * 2048},
           Row{"cells=1048576; engine=memory", 1, 32 * million},
           Row{"cells=1048576; engine=memory; initial-u=0.05; force=0", 1, 104 * million},
           Row{"cells=1048576; engine=memory; initial-u=0.05*s; force=0", 1, 112 * million},
           Row{"cells=1000000000; engine=memory", 1, 8},  // no table
           Row{"model=p-chain; set n=1048576; set k=1; set alpha=1", 1, 2 * 128 * million},
       }) {
    EXPECT_NEAR(engine::bytes_a_rank(need_of(run_of(options)), ranks), bytes, 1.0) << options;
  }
  EXPECT_EQ(engine::bytes_a_rank({.count = 1000, .extra_bytes = 1e9}, 1), 8000.0 + 1e9);
}

TEST(RequireMemory, refuses_what_does_not_fit) {
  const auto says = [](const MemoryNeed& need, double available, int ranks = 1) {
    return given::mistake([&] { engine::require_memory(need, ranks, available); });
  };
  const double gibibyte = 1 << 30;
  const std::int64_t count = std::int64_t{1} << 30;
  EXPECT_EQ(says({.count = count}, 8 * gibibyte), "");
  const std::string of_cells = says({.count = count}, 4 * gibibyte);
  EXPECT_TRUE(of_cells.starts_with("cells: 1073741824 cells need at least 8.0 GiB")) << of_cells;
  const std::string of_columns =
      says({.count = count, .parts = "columns", .bytes_each = 64}, 4 * gibibyte, 2);
  EXPECT_TRUE(of_columns.starts_with("n: 1073741824 columns need at least 32.0 GiB a rank, 4.0"))
      << of_columns;
}

/// What is said of a slab on all ranks, which must be the same.
std::string fault(const support::Data& data, double available = 1e12) {
  std::string said = given::mistake([&] {
    engine::checked_profile(support::world(), support::problem(data), engine::Method::sweep,
                            available);
  });
  EXPECT_EQ(parallel::first_text(support::world(), said), said);
  return said;
}

TEST(CheckedProfile, is_refused_on_every_rank_alike) {
  // Cells at fault in the last two blocks.
  const std::string first = fault({.stiffness = "s < 0.7 ? 1 : -1", .space = slab::Cells{4096}});
  EXPECT_NE(first.find("cell 2868 of 4096"), std::string::npos) << first;
  // With a look at every cell this would take a day; the fault in k would then be found first.
  const std::string early = fault({.stiffness = "-s", .space = slab::Cells{std::int64_t{1} << 45}});
  EXPECT_NE(early.find("may be used"), std::string::npos) << early;
  // The array that it would keep.
  const std::int64_t cells = 8192 * std::int64_t{support::world().size()};
  EXPECT_EQ(fault({.stiffness = "2", .space = slab::Cells{cells}}, 12.0 * 8192), "");
  EXPECT_NE(fault({.stiffness = "2+s", .space = slab::Cells{cells}}, 12.0 * 8192), "");
}

TEST(CheckedProfile, keeps_what_no_formula_gives_on_all_ranks_alike) {
  // One cell of the last block differs: no rank may take the form.
  const slab::Profile bent = engine::checked_profile(support::world(),
                                                     support::problem({.stiffness = "s < 1 ? 2 : 3",
                                                                       .threshold = "s+0.1",
                                                                       .initial_u = "0.05",
                                                                       .space = slab::Cells{5000}}),
                                                     engine::Method::sweep, base::infinity);
  EXPECT_EQ(static_cast<std::int64_t>(bent.stiffness.size()), bent.range.size);
  EXPECT_FALSE(bent.form.stiffness);
  EXPECT_TRUE(bent.threshold.empty());
  EXPECT_TRUE(bent.initial_u.empty());
  EXPECT_EQ(slab::kept_arrays(bent.form), 1);
}

TEST(Slab, is_split_over_the_ranks_where_it_is_worth_it) {
  engine::RunSpec run = support::run_of(support::forced(5000));
  for (const auto& [split_from, holders] :
       {std::pair<std::int64_t, int>{5001, 1}, {5000, support::world().size()}}) {
    run.split_from = split_from;
    const parallel::Communicator by =
        support::all_or_one(support::world(), engine::is_split(run, support::world().size()));
    EXPECT_EQ(by.size(), holders);
    const engine::Setup setup = engine::make_setup(by, run);
    const base::CellRange expected = base::local_range(5000, by.rank(), holders);
    for (const base::CellRange& range : {setup.profile->range, setup.engine->state().range()}) {
      EXPECT_EQ(range.first, expected.first);
      EXPECT_EQ(range.size, expected.size);
    }
  }
}

}  // namespace masing::test_setup
