// The kinds of references: what they are called, the run that a level is measured against, and
// which models and refinements they cannot serve.

#include "study/study_spec.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "rheology/catalogue.hpp"
#include "support/problem.hpp"

namespace masing::test_reference {

using engine::Method;
using study::Reference;
using study::Refine;

const engine::Model masing = engine::Masing{.scheme = slab::Scheme::leapfrog};
const engine::Model quasistatic = engine::QuasistaticMasing{};
const engine::Model finite = rheology::ModelSpec{};

const std::vector<study::Level> levels{{slab::Cells{10}, 100}, {slab::Cells{20}, 200}};

Reference reference(const std::string& name, Refine refine = Refine::both,
                    const engine::Model& model = masing) {
  return study::make_reference(name, refine, levels, model);
}

std::optional<engine::RunSpec> run_for(const std::string& name, const engine::RunSpec& level,
                                       Refine refine = Refine::both) {
  return study::run_for(reference(name, refine, level.model), level);
}

engine::RunSpec level(const engine::Model& model = masing, std::int64_t cells = 20) {
  engine::RunSpec run{model, {}, {1.0, 200}};
  if (slab::Slab* slab = engine::slab_of(run)) {
    slab->space = support::space_of(cells);
  }
  return run;
}

const engine::Masing& masing_of(const engine::RunSpec& run) {
  return std::get<engine::Masing>(run.model);
}

TEST(Reference, has_a_heading_that_says_how_well_it_is_known) {
  EXPECT_EQ(study::heading(reference("finest"), 2e-13), "reference P = 320, N = 3200");
  for (const Reference& exact :
       {reference("exact"), reference("exact-time"), reference("exact", Refine::steps, finite)}) {
    EXPECT_TRUE(study::heading(exact, 2e-13).ends_with(" (checks itself to 2e-13)"));
  }
}

TEST(Reference, is_made_of_its_word) {
  for (const auto& [name, is_continuum, is_exact_in_time] : {std::tuple("exact", true, true),
                                                             {"exact-time", false, true},
                                                             {"cells-inf", true, false},
                                                             {"finest", false, false},
                                                             {"successive", false, false}}) {
    const Reference made = reference(name);
    EXPECT_EQ(made.name, name);
    EXPECT_EQ(made.is_continuum, is_continuum) << name;
    EXPECT_EQ(made.is_exact_in_time, is_exact_in_time) << name;
    EXPECT_EQ(made.is_exact(), is_continuum || is_exact_in_time) << name;
    EXPECT_EQ(made.is_successive, name == std::string("successive"));
    EXPECT_EQ(made.finest.has_value(), name == std::string("finest"));
  }
}

/// 16 times finer in what is refined, as the last level in what is held fixed.
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
}

/// The least common multiple where that is not needlessly large, else 16 times the last.
TEST(FinestCount, is_a_common_multiple_at_least_16_times_finer) {
  EXPECT_EQ(study::finest_count({10}), 160);
  EXPECT_EQ(study::finest_count({10, 20, 40}), 640);
  EXPECT_EQ(study::finest_count({10, 15}), 240);
  EXPECT_EQ(study::finest_count({3, 10, 100, 700, 1500}), 31500);
  EXPECT_EQ(study::finest_count({7, 11}), 231);
  EXPECT_EQ(study::finest_count({997, 1009}), 16 * 1009);
  EXPECT_EQ(study::finest_count({1}), 16);
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
  EXPECT_TRUE(engine::slab_of(*run_for("cells-inf", level(quasistatic)))->is_continuum());
  EXPECT_FALSE(run_for("successive", level()).has_value());
}

/// What make_reference says of one that cannot serve, empty where it can.
std::string fault(const std::string& name, const engine::Model& model, Refine refine) {
  try {
    reference(name, refine, model);
  } catch (const base::UserError& error) {
    return error.fault();
  }
  return "";
}

TEST(Fault, says_what_is_wrong_and_what_would_be_right_if_anything_is) {
  for (const char* name : {"finest", "successive", "cells-inf"}) {
    EXPECT_EQ(fault(name, quasistatic, Refine::both), "") << name;
  }
  EXPECT_EQ(fault("successive", finite, Refine::steps), "");
  EXPECT_EQ(fault("cells-inf", masing, Refine::cells), "");
  EXPECT_EQ(fault("exact", quasistatic, Refine::steps),
            "masing-quasistatic has no exact solution; give finest or successive");
  EXPECT_EQ(fault("exact-time", finite, Refine::steps),
            "exact-time is there for the model masing; give exact, finest or successive");
  EXPECT_EQ(fault("cells-inf", finite, Refine::steps),
            "cells-inf is there for slabs; give exact, finest or successive");
  EXPECT_EQ(
      fault("exact-time", masing, Refine::cells),
      "exact-time has the error in s of the level that a refinement of cells is to measure; give "
      "cells-inf or exact");
  EXPECT_EQ(
      fault("cells-inf", masing, Refine::steps),
      "cells-inf has the error in time of the level that a refinement of steps is to measure; give "
      "exact-time, or cells = inf and exact");
}

}  // namespace masing::test_reference
