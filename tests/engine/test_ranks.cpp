// Which ranks hold what of a slab, and that all ranks fail alike. That the numbers do not depend on
// them is shown for every engine in test_restart.cpp.

#include <gtest/gtest.h>

#include <utility>

#include "engine/setup.hpp"
#include "support/given.hpp"
#include "support/problem.hpp"
#include "support/trajectory.hpp"
#include "support/world.hpp"

namespace masing::test_ranks {

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
    for (const base::CellRange& range : {setup.profile->range, setup.engine->field().range()}) {
      EXPECT_EQ(range.first, expected.first);
      EXPECT_EQ(range.size, expected.size);
    }
  }
}

TEST(CheckedProfile, keeps_what_no_formula_gives_on_all_ranks_alike) {
  // One cell of the last block differs: no rank may take the form.
  const slab::Profile bent =
      engine::checked_profile(support::world(), support::problem({.stiffness = "s < 1 ? 2 : 3",
                                                                  .threshold = "s+0.1",
                                                                  .initial_u = "0.05",
                                                                  .space = slab::Cells{5000}}));
  EXPECT_EQ(static_cast<std::int64_t>(bent.stiffness.size()), bent.range.size);
  EXPECT_FALSE(bent.form.stiffness);
  EXPECT_TRUE(bent.threshold.empty());
  EXPECT_TRUE(bent.initial_u.empty());
  EXPECT_EQ(slab::kept_arrays(bent.form), 1);
}

TEST(CheckedProfile, reports_the_first_cell_at_fault_on_every_rank) {
  // Cells at fault in the last two blocks: the same message must come from all ranks.
  const std::string said = given::mistake([] {
    engine::checked_profile(support::world(), support::problem({.stiffness = "s < 0.7 ? 1 : -1",
                                                                .space = support::space_of(4096)}));
  });
  EXPECT_NE(said.find("cell 2868 of 4096"), std::string::npos) << said;
}

}  // namespace masing::test_ranks
