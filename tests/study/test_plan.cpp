// The runs of a study, the references that they are measured against, and who makes them: each
// comparison once, those with a slab worth splitting by all ranks, the others dealt to single
// ranks. By hand.

#include "study/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "support/given.hpp"
#include "support/options.hpp"

namespace masing::test_plan {

using campaign::Packing;
using engine::Method;
using study::Batch;
using study::Refine;
using study::StudyPlan;

struct Planned {
  std::unique_ptr<study::StudySpec> spec;
  StudyPlan plan;

  Planned(Refine refine, const std::string& reference, const std::string& levels,
          const std::string& other = "") {
    spec = std::make_unique<study::StudySpec>(given::spec_of(
        other + "; refine=" + study::name_of(refine) + "; levels=" + levels +
        "; reference=" + reference +
        "; final-time=500; steps=400; cells=8; expect-order=none; field-points=100; quiet"));
    plan = at(1, 1e12);
  }
  [[nodiscard]] StudyPlan at(int ranks, double available) const {
    return study::make_plan(*spec, ranks, available);
  }
  Packing schedule(int ranks, double available = 1e12) const {
    return study::make_schedule(at(ranks, available), plan.all());
  }
  [[nodiscard]] double bytes(const Batch& batch, int ranks = 1) const {
    return study::bytes_a_rank(at(ranks, 1e12), batch);
  }
};

/// The levels first, then what they are measured against, once: of P = ∞ or of the cells of the
/// level, exact or by the level's scheme, or 16 times finer in what is refined. The exact solution
/// of a P serves all levels at that P, whatever their steps; of P = ∞ by the levels' scheme there
/// is one for each number of steps, of the finest one for all. The last level has the series.
TEST(StudyPlan, has_the_levels_and_each_run_that_they_are_measured_against_once) {
  struct Case {
    Refine refine;
    const char* reference;
    const char* levels;
    std::vector<std::size_t> expected;  ///< none for the last where there is one less
    Method method = Method::exact;
    std::vector<std::string> cells;   ///< of the references
    std::vector<std::int64_t> steps;  ///< of those that are not exact
  };
  for (const auto& [refine, reference, levels, expected, method, cells, steps] :
       {Case{Refine::steps, "exact", "100,150,400", {3, 3, 3}, Method::exact, {"inf"}, {}},
        {Refine::both, "exact", "8:100,16:200,24:400", {3, 3, 3}, Method::exact, {"inf"}, {}},
        {Refine::steps, "exact-time", "100,150,400", {3, 3, 3}, Method::exact, {"8"}, {}},
        {Refine::both, "exact-time", "8:99,8:100,9:101", {3, 3, 4}, Method::exact, {"8", "9"}, {}},
        {Refine::cells, "cells-inf", "8,16,32", {3, 3, 3}, Method::memory, {"inf"}, {400}},
        {Refine::both,
         "cells-inf",
         "8:100,16:100,24:200",
         {3, 3, 4},
         Method::memory,
         {"inf", "inf"},
         {100, 200}},
        {Refine::steps, "finest", "996,997,1009", {3, 3, 3}, Method::sweep, {"8"}, {16144}},
        {Refine::cells, "finest", "8,16,32", {3, 3, 3}, Method::sweep, {"512"}, {400}},
        {Refine::both, "finest", "8:100,10:120,20:200", {3, 3, 3}, Method::sweep, {"320"}, {3600}},
        {Refine::steps, "successive", "100,150,300", {1, 2}, Method::sweep, {}, {}}}) {
    SCOPED_TRACE(std::string(reference) + " " + levels);
    const Planned made(refine, reference, levels, "engine=sweep; scheme=leapfrog");
    const StudyPlan& plan = made.plan;
    const auto cells_of = [&](std::size_t run) {
      return engine::cells_text(engine::slab_of(plan.runs[run].run)->space);
    };
    for (std::size_t i = 0; i < 3; ++i) {
      const auto& measured = plan.comparisons.at(i).reference;
      EXPECT_EQ(measured.has_value(), i < expected.size());
      EXPECT_EQ(measured.value_or(0), i < expected.size() ? expected[i] : 0);
      EXPECT_EQ(plan.comparisons[i].level, i);
      EXPECT_EQ(plan.runs[i].run.time.steps, made.spec->levels[i].steps);
      EXPECT_EQ(cells_of(i), engine::cells_text(made.spec->levels[i].space));
      EXPECT_EQ(plan.runs[i].options.series.has_value(), i == 2);
      EXPECT_FALSE(plan.runs[i].options.goes_to_times);
    }
    ASSERT_EQ(plan.runs.size(), 3 + cells.size());
    const bool is_exact = method == Method::exact;
    for (std::size_t i = 3; i < plan.runs.size(); ++i) {
      const auto& [run, options, ranks, cost, engine_bytes, bytes] = plan.runs[i];
      EXPECT_EQ(run.method, method);
      EXPECT_EQ(run.model->scheme()->order, 2) << "that of the levels";
      EXPECT_EQ(cells_of(i), cells[i - 3]);
      EXPECT_EQ(options.goes_to_times, is_exact);
      EXPECT_EQ(options.has_function_field, cells[i - 3] == "inf");
      EXPECT_TRUE(is_exact || run.time.steps == steps.at(i - 3)) << run.time.steps;
    }
    const std::string heading = study::heading(made.spec->reference, 2e-13);
    EXPECT_EQ(heading.ends_with("(checks itself to 2e-13)"), is_exact) << heading;
    EXPECT_EQ(heading == "reference P = 320, N = 3600", steps == std::vector{std::int64_t{3600}});
  }
  // A continuum's field is compared at the places of the level.
  const Planned places(Refine::steps, "exact", "100,200", "cells=inf");
  const auto& space = engine::slab_of(places.plan.runs[2].run)->space;
  EXPECT_EQ(std::get<slab::Continuum>(space).field_points, 100);
}

/// The least common multiple of the levels where that is not needlessly large.
TEST(FinestCount, is_16_times_the_last_or_more) {
  using Counts = std::vector<std::int64_t>;
  for (const auto& [counts, finest] : {std::pair(Counts{1}, 16),
                                       {{10, 20, 40}, 640},
                                       {{10, 15}, 240},
                                       {{3, 10, 100, 700, 1500}, 31500},
                                       {{7, 11}, 231},
                                       {{997, 1009}, 16 * 1009}}) {
    EXPECT_EQ(study::finest_count(counts), finest);
  }
}

/// Of so many cells that they differ from P = ∞ by rounding only, where the levels are so many that
/// their errors may be lost in it.
TEST(StudyPlan, measures_round_off_where_cells_are_many) {
  const auto planned = [](const char* reference, const char* levels) {
    return Planned(Refine::cells, reference, levels, "engine=memory").plan;
  };
  const StudyPlan plan = planned("cells-inf", "1000,100000000");
  ASSERT_EQ(plan.runs.size(), 4U);
  ASSERT_EQ(plan.comparisons.size(), 3U);
  EXPECT_EQ(plan.comparisons[2].reference, 2U);
  EXPECT_EQ(plan.comparisons[2].level, 3U);
  EXPECT_TRUE(plan.runs[3].options.has_function_field);
  EXPECT_EQ(plan.runs[3].run.model->layout().size, std::int64_t{1} << 50);
  EXPECT_EQ(planned("cells-inf", "1000,100000").runs.size(), 3U);
  EXPECT_EQ(planned("successive", "1000,100000000").runs.size(), 2U);
  // u of many cells is kept as a function only where the reference has no cells.
  for (const char* reference : {"successive", "cells-inf"}) {
    const StudyPlan of = planned(reference, "1000,4000000");
    EXPECT_FALSE(of.runs[0].options.has_function_field);
    EXPECT_EQ(of.runs[1].options.has_function_field, reference == std::string("cells-inf"));
  }
}

/// All times jT/m are steps of every level, where there are 16 such times or as many as wanted.
TEST(CommonSamples, are_steps_of_every_level) {
  struct Row {
    std::int64_t wanted;
    std::vector<std::int64_t> steps;
    std::int64_t fewest;
    std::int64_t found;
  };
  for (const auto& [wanted, steps, fewest, found] :
       std::vector<Row>{{200, {1000, 1500}, 16, 125},
                        {200, {16, 48}, 16, 16},
                        {5, {7, 14}, 16, 5},         // one time in common is too few
                        {2, {10, 20}, 16, 2},        // or as many as wanted
                        {200, {1010, 2030}, 1, 10},  // of second order: steps alone
                        {200, {15, 30}, 16, 200},
                        {1, {3}, 16, 1}}) {
    EXPECT_EQ(study::common_samples(wanted, steps, fewest), found) << wanted << " " << steps[0];
  }
  for (const auto& [levels, options, times] :
       {std::tuple("400,800", "", 200),
        {"400,800", "field-samples=30", 25},  // which divides 400
        {"997,1009", "field-samples=7", 7},
        {"997,1009", "field-samples=7; scheme=leapfrog", 1}}) {
    EXPECT_EQ(Planned(Refine::steps, "exact", levels, options).plan.field_times.count() - 1, times);
  }
}

Batch sorted(Batch batch) {
  std::ranges::sort(batch);
  return batch;
}

void expect_sound(const StudyPlan& plan, const Batch& pending, const Packing& schedule) {
  Batch made;
  for (const auto& batches : {schedule.together, schedule.alone}) {
    for (const Batch& batch : batches) {
      EXPECT_FALSE(batch.empty());
      made.insert(made.end(), batch.begin(), batch.end());
      EXPECT_LE(study::bytes_a_rank(plan, batch), plan.available);
    }
  }
  EXPECT_EQ(sorted(made), sorted(pending)) << "each once";
}

TEST(Schedule, deals_every_pending_comparison_once_or_refuses_what_does_not_fit) {
  std::mt19937_64 random(7);
  const char* const references[] = {"exact", "exact-time", "cells-inf", "finest", "successive"};
  int refused = 0;
  for (int draw = 0; draw < 300; ++draw) {
    const Planned made(Refine::both, references[draw % 5],
                       "100:1000,3000:1000,40000:2000,40001:3000,100000:4000,100001:5000",
                       draw % 2 == 0 ? "engine=memory" : "engine=sweep");
    const double available = std::pow(10.0, 5.5 + 3.0 * static_cast<double>(draw) / 300.0);
    const StudyPlan plan = made.at(1 + draw / 3 % 5, available);
    Batch pending = plan.all();
    std::erase_if(pending, [&](campaign::Unit /*i*/) { return random() % 4 == 0; });
    SCOPED_TRACE(draw);
    const std::string said =
        given::mistake([&] { expect_sound(plan, pending, study::make_schedule(plan, pending)); });
    refused += said.empty() ? 0 : 1;
    if (study::bytes_a_rank(plan, pending) <= available) {
      EXPECT_EQ(said, "");
    } else if (std::ranges::any_of(pending, [&](campaign::Unit i) {
                 return study::bytes_a_rank(plan, {i}) > available;
               })) {
      EXPECT_NE(said, "");
    }
  }
  EXPECT_GT(refused, 10);
  EXPECT_LT(refused, 200);
  // All comparisons of a rank advance together.
  const Planned four(Refine::steps, "exact", "1000,1010,1030,1070", "engine=sweep; cells=30000");
  const double all = four.bytes(four.plan.all());
  EXPECT_EQ(four.schedule(1, all).together.size(), 1U);
  const std::string said = given::mistake([&] { four.schedule(1, 0.9 * all); });
  EXPECT_TRUE(said.starts_with("cells: ") && said.find("30000 cells need") != std::string::npos)
      << said;
  expect_sound(four.at(4, 0.9 * all), four.plan.all(), four.schedule(4, 0.9 * all));
}

TEST(Schedule, splits_what_is_worth_splitting_and_nothing_else) {
  const Planned study(Refine::cells, "successive", "10,1000,32767,32768,50000", "engine=sweep");
  const Packing schedule = study.schedule(2);
  // The third is measured against the fourth, the first that is worth it.
  EXPECT_EQ(schedule.together.size(), 1U);
  EXPECT_EQ(sorted(schedule.together.at(0)), (Batch{2, 3, 4}));
  EXPECT_EQ(sorted(Batch{schedule.alone.at(0).at(0), schedule.alone.at(1).at(0)}), (Batch{0, 1}));
  // On one rank all go together.
  EXPECT_EQ(sorted(study.schedule(1).together.at(0)), study.plan.all());
  EXPECT_TRUE(study.schedule(1).alone.empty());
  // The last of successive levels, which is measured against nothing, goes with the one before.
  // Ranks beyond the comparisons have none, and nothing is kept for them.
  const Planned few(Refine::cells, "successive", "1000,10000,30000", "engine=sweep");
  EXPECT_EQ(few.schedule(2).alone, (std::vector<Batch>{{2, 1}, {0}}));
  EXPECT_EQ(few.schedule(1000000000).alone.size(), 2U);
}

/// Those of the engine, and for each cell two elements, u and lists of indices, or u twice.
TEST(Bytes, are_those_of_each_run_once) {
  for (const auto& [reference, other, each] :
       {std::tuple("exact", "", 64.0),
        {"successive", "", 56.0},
        {"exact", "steps=101; field-samples=3; ", 64.0 + 16.0}}) {
    const Planned of(Refine::cells, reference, "102400,204800",
                     other + std::string("engine=sweep"));
    EXPECT_EQ(of.plan.runs[0].bytes - of.plan.runs[0].engine_bytes, each * 102400) << reference;
  }
  const Planned study(Refine::cells, "finest", "102400,204800", "engine=sweep");
  const double finest = study.plan.runs[2].bytes;
  EXPECT_GE(finest, 8.0 * 16 * 204800) << "u";
  EXPECT_LT(finest, 9.0 * 16 * 204800) << "and nothing else";
  EXPECT_NEAR(study.bytes({0, 1}), study.bytes({0}) + study.bytes({1}) - finest, 1.0);
  EXPECT_NEAR(study.bytes({0}, 2), study.bytes({0}) / 2, 1.0);
  const Planned of_functions(Refine::cells, "cells-inf", "100000000,1000000000",
                             "engine=memory; field-points=100000");
  EXPECT_LT(of_functions.bytes(of_functions.plan.all()), 1e7);
}

}  // namespace masing::test_plan
