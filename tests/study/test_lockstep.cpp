// Comparisons in lockstep give the same bits whatever goes along with them, wherever the windows
// end, and where they are saved on some ranks and restored on others.

#include "study/lockstep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "support/comparisons.hpp"
#include "support/options.hpp"
#include "support/saved_state.hpp"
#include "support/world.hpp"

namespace masing::test_lockstep {

using parallel::Communicator;
using study::Lockstep;
using study::StudyPlan;
using support::Ends;
using support::Outcomes;
using support::outcomes;
using support::world;

struct Case {
  const char* name;
  const char* options;  ///< beside those of spec_of
};

/// Counts that no other contains, on a time whose multiples are not exact.
study::StudySpec spec_of(const std::string& options) {
  const bool is_slab = options.find("model=") == std::string::npos;
  return given::spec_of(
      options + (is_slab ? "; threshold=s+0.1; k0=0.1; field-points=60" : "") +
      "; final-time=13.7; refine=both; levels=30:400,1050:602,2100:1204,2500:1500; "
      "field-samples=7; expect-order=none; quiet");
}

/// The same on every rank.
Ends at_random(std::uint64_t seed) {
  return [random = std::mt19937_64(seed)](const Lockstep& lockstep) mutable {
    return lockstep.steps().done + 1 + static_cast<std::int64_t>(random() % 900);
  };
}

/// But for the seconds and the check of the reference.
void expect_same(const study::Outcome& found, const study::Outcome& expected) {
  const auto numbers = [](const study::Outcome& of) {
    return std::tuple(of.errors.all, of.run.largest.x, of.run.largest.y, of.run.largest_u,
                      of.run.end.x, of.run.end.y, of.series);
  };
  EXPECT_TRUE(numbers(found) == numbers(expected));
}

void expect_same(const Outcomes& found, const Outcomes& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [i, one] : expected) {
    SCOPED_TRACE("comparison " + std::to_string(i));
    expect_same(found.at(i), one);
    EXPECT_EQ(found.at(i).self_check, one.self_check);
  }
}

class Studies : public testing::TestWithParam<Case> {
 protected:
  study::StudySpec spec_ = spec_of(GetParam().options);
  StudyPlan plan_ = study::make_plan(spec_, 1, 1e11);
  study::Batch all_ = plan_.all();
  Communicator alone_{MPI_COMM_SELF};
  Outcomes expected_ = outcomes(alone_, plan_, all_);
};

/// An exact solution checks itself at the times of all levels that are measured against it.
TEST_P(Studies, give_the_errors_that_each_comparison_has_alone) {
  if (world().size() > 1) {
    GTEST_SKIP() << "one rank makes each";
  }
  std::map<std::size_t, double> self_checks;  // of references
  for (const campaign::Unit i : all_) {
    SCOPED_TRACE("comparison " + std::to_string(i));
    const study::Outcome one = outcomes(alone_, plan_, {i}).at(i);
    expect_same(one, expected_.at(i));
    if (const auto reference = plan_.comparisons[i].reference) {
      EXPECT_GT(one.errors[study::Errors::x], 0.0);
      EXPECT_GT(one.errors[study::Errors::u], 0.0);
      self_checks[*reference] = std::max(self_checks[*reference], one.self_check);
    }
  }
  for (const auto& [i, one] : expected_) {
    const auto reference = plan_.comparisons[i].reference;
    EXPECT_EQ(one.self_check, reference ? self_checks.at(*reference) : 0.0) << i;
  }
}

/// The times jT/7 are steps of both levels, but of the first mostly later, by a rounding: u is that
/// of the later time also where the other level is compared alone.
TEST(ExactReference, has_u_at_one_of_the_times_that_levels_round_differently) {
  const study::StudySpec spec =
      spec_of("reference=exact; scheme=leapfrog; final-time=143.7; levels=30:1050,50:3150");
  const StudyPlan plan = study::make_plan(spec, 1, 1e11);
  const Communicator alone = support::alone();
  expect_same(outcomes(alone, plan, {1}).at(1), outcomes(alone, plan, {0, 1}).at(1));
}

/// Saved after some windows on some ranks, gone on with by others.
Outcomes resumed(const StudyPlan& plan, const Communicator& before, const Communicator& after,
                 std::uint64_t seed) {
  support::Saved saved;
  const Ends ends = at_random(seed);
  {
    Lockstep lockstep(before, plan, plan.all());
    const std::int64_t end = static_cast<std::int64_t>(seed) * lockstep.steps().all / 11;
    campaign::Records records;
    while (lockstep.steps().done < end) {
      lockstep.advance(std::min(end, ends(lockstep)), engine::Pause::none, records);
    }
    support::Save archive(before, saved);
    lockstep.serialize(archive);
  }
  Lockstep lockstep(after, plan, plan.all());
  support::Restore archive(saved);
  lockstep.serialize(archive);
  return outcomes(lockstep, ends);
}

TEST_P(Studies, give_the_same_bits_in_any_windows_and_after_a_restart) {
  EXPECT_EQ(expected_.at(std::ssize(spec_.levels) - 1).series.size(),
            5U * (1 + spec_.levels.back().steps));
  expect_same(resumed(plan_, world(), alone_, 10), expected_);
  expect_same(resumed(plan_, alone_, world(), 2), expected_);
  if (world().size() == 1) {
    const auto at_every_step = [](const Lockstep& lockstep) { return lockstep.steps().done + 1; };
    expect_same(outcomes(alone_, plan_, all_, at_every_step), expected_);
    for (const std::uint64_t seed : {4, 7, 9}) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      expect_same(resumed(plan_, alone_, alone_, seed), expected_);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Studies,
    testing::Values(
        Case{"exact", "reference=exact"},
        Case{"exact_time",
             "reference=exact-time; engine=memory; scheme=leapfrog; levels=30:400,50:600,110:1400"},
        Case{"cells_inf", "reference=cells-inf; rule=midpoint; engine=memory"},
        Case{"finest", "reference=finest; engine=memory"},
        Case{"finest_continuum", "reference=finest; refine=steps; cells=inf; levels=100,150,301"},
        Case{"successive", "reference=successive"},
        Case{"successive_without_mass",
             "reference=successive; model=masing-quasistatic; force=0.2*sin(t)+0.02*sin(7*t)"},
        Case{"split_model",
             "reference=finest; model=s-chain; set n=3; set k=1+i/n; set eta=0.1+i/n; "
             "set y0=1+sin(7*i); refine=steps; levels=20,30,61"},
        Case{"exact_model",
             "reference=exact; model=prandtl; set k0=0.2; set k=1; set eta=0.5; refine=steps; "
             "levels=100,301,1003"}),
    [](const auto& of) { return std::string(of.param.name); });

}  // namespace masing::test_lockstep
