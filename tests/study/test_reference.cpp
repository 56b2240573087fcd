// The kinds of references: what they are called, and the run that a level is measured against.

#include <gtest/gtest.h>

#include "rheology/catalogue.hpp"
#include "study/study_spec.hpp"
#include "support/problem.hpp"

namespace masing::test_reference {

using engine::Method;
using study::Reference;
using study::Refine;

const engine::Model masing = engine::Masing{.scheme = slab::Scheme::leapfrog};
const engine::Model finite = rheology::ModelSpec{};

Reference reference(const std::string& name, Refine refine = Refine::both,
                    const engine::Model& model = masing) {
  return study::make_reference(name, refine, {{slab::Cells{10}, 100}, {slab::Cells{20}, 200}},
                               model);
}

engine::RunSpec level(const engine::Model& model = masing, std::int64_t cells = 20) {
  engine::RunSpec run{model, {}, {1.0, 200}};
  if (slab::Slab* slab = engine::slab_of(run)) {
    slab->space = support::space_of(cells);
  }
  return run;
}

std::optional<engine::RunSpec> run_for(const std::string& name, const engine::RunSpec& level,
                                       Refine refine = Refine::both) {
  return study::run_for(reference(name, refine, level.model), level);
}

const engine::Masing& masing_of(const engine::RunSpec& run) {
  return std::get<engine::Masing>(run.model);
}

TEST(Reference, is_made_of_its_word_and_its_heading_says_how_well_it_is_known) {
  for (const auto& [name, is_continuum, is_exact_in_time, heading] :
       {std::tuple("exact", true, true, "(checks itself to 2e-13)"),
        {"exact-time", false, true, "(checks itself to 2e-13)"},
        {"cells-inf", true, false, ""},
        {"finest", false, false, "reference P = 320, N = 3200"},
        {"successive", false, false, ""}}) {
    const Reference made = reference(name);
    EXPECT_EQ(made.name, name);
    EXPECT_EQ(made.is_continuum, is_continuum) << name;
    EXPECT_EQ(made.is_exact_in_time, is_exact_in_time) << name;
    EXPECT_EQ(made.is_exact(), is_continuum || is_exact_in_time) << name;
    EXPECT_EQ(made.is_successive, name == std::string("successive"));
    EXPECT_EQ(made.finest.has_value(), name == std::string("finest"));
    EXPECT_TRUE(study::heading(made, 2e-13).ends_with(heading)) << study::heading(made, 2e-13);
  }
  EXPECT_TRUE(study::heading(reference("exact", Refine::steps, finite), 2e-13).ends_with("2e-13)"));
}

/// 16 times finer in what is refined, as the last level in what is held fixed; the least common
/// multiple of the levels where that is not needlessly large.
TEST(Finest, is_one_run_for_all_levels) {
  for (const auto& [refine, cells, steps] : {std::tuple(Refine::steps, 20, 3200),
                                             {Refine::cells, 320, 200},
                                             {Refine::both, 320, 3200}}) {
    const auto run = run_for("finest", level(masing, 10), refine);
    EXPECT_EQ(std::get<slab::Cells>(masing_of(run.value()).slab.space).count, cells);
    EXPECT_EQ(run->time.steps, steps);
    EXPECT_EQ(masing_of(*run).scheme, slab::Scheme::leapfrog);
    EXPECT_EQ(masing_of(*run).method, Method::sweep);
  }
  EXPECT_EQ(run_for("finest", level(finite), Refine::steps)->time.steps, 3200);
  for (const auto& [counts, finest] :
       std::vector<std::pair<std::vector<std::int64_t>, std::int64_t>>{
           {{10}, 160},
           {{10, 20, 40}, 640},
           {{10, 15}, 240},
           {{3, 10, 100, 700, 1500}, 31500},
           {{7, 11}, 231},
           {{997, 1009}, 16 * 1009},
           {{1}, 16}}) {
    EXPECT_EQ(study::finest_count(counts), finest);
  }
}

/// Of P = ∞ or of the cells of the level; by the scheme of the level or exact in time. The places
/// at which a continuum's field is compared are those of the level.
TEST(Reference, at_infinity_is_the_level_with_other_cells_or_steps) {
  for (const auto& [name, method, has_cells] : {std::tuple("exact", Method::exact, false),
                                                {"exact-time", Method::exact, true},
                                                {"cells-inf", Method::turning_points, false}}) {
    SCOPED_TRACE(name);
    engine::RunSpec run = level();
    const auto other = run_for(name, run);
    EXPECT_EQ(masing_of(*other).method, method);
    EXPECT_EQ(masing_of(*other).scheme, slab::Scheme::leapfrog);
    EXPECT_EQ(masing_of(*other).slab.is_continuum(), !has_cells);
    EXPECT_EQ(engine::field_size(*other) == 20, has_cells);
    EXPECT_EQ(other->time.steps, 200);
    engine::slab_of(run)->space = slab::Continuum{77};
    EXPECT_EQ(std::get<slab::Continuum>(masing_of(*run_for(name, run)).slab.space).field_points,
              77);
  }
  const auto quasistatic = run_for("cells-inf", level(engine::QuasistaticMasing{}));
  EXPECT_TRUE(engine::slab_of(*quasistatic)->is_continuum());
  EXPECT_FALSE(run_for("successive", level()).has_value());
}

}  // namespace masing::test_reference
