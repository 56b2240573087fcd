// Error norms against brute force: x and y over the level's steps, u over the field times and all s
// (constant on cells, so a maximum over pairs of cells that overlap, or over both ends of cells
// against a function) or the cells' own points; everything linear in t between steps.
// Source: Proposition 4.1, continuous-masing-2001.

#include "study/errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "engine/setup.hpp"
#include "engine/slab.hpp"
#include "engine/time_loop.hpp"
#include "support/comparisons.hpp"
#include "support/options.hpp"
#include "support/problem.hpp"
#include "support/world.hpp"

namespace masing::test_error_norms {

using slab::Rule;
using study::Errors;
using study::Field;
using study::FieldErrors;
using study::SampleTimes;
using support::world;

void raise(double& most, double a, double b) {
  most = std::max(most, std::abs(a - b));
}

engine::RunSpec run_of(const support::Data& data) {
  const support::Problem problem = support::problem(data);
  return {engine::make_model(engine::Masing{.slab = problem}), {}, problem.time};
}

Errors errors_of(const engine::RunSpec& run, const Field& level, const Field& reference) {
  Errors found;
  FieldErrors(run).update_max(world(), found, level, reference);
  parallel::max_over_ranks(world(), found.all);
  return found;
}

template <typename Value>
void fill(parallel::Vector& u, const Value& value) {
  for (std::int64_t i = 0; i < u.range().size; ++i) {
    u.values()[static_cast<std::size_t>(i)] = value(u.range().first + i);
  }
}

TEST(Cells, meet_and_hold_each_other_up_to_2_to_40) {
  constexpr std::int64_t large = std::int64_t{1} << 40;
  using Pair = std::pair<std::int64_t, std::int64_t>;
  for (const auto& [range, to, expected] : {
           std::tuple(Pair(large / 3, 1), large, Pair(large / 3, 1)),
           // P - 1 and P cells: cell j of the finer reaches over cells j - 1 and j of the coarser.
           {{0, 1}, large - 1, {0, 1}},
           {{large / 3, 1}, large - 1, {large / 3 - 1, 2}},
           {{large / 3, 10}, large - 1, {large / 3 - 1, 11}},
           {{large - 1, 1}, large - 1, {large - 2, 1}},
       }) {
    const auto found = study::overlapping_cells({range.first, range.second}, large, to);
    EXPECT_EQ(Pair(found.first, found.size), expected);
  }
  EXPECT_EQ(study::containing_cell(Rule::right, large / 3 - 1, large - 1, large), large / 3);
  EXPECT_EQ(study::containing_cell(Rule::right, large - 1, large, large), large - 1);
  // The middle of the last cell is the end of the cell before the last.
  EXPECT_EQ(study::containing_cell(Rule::midpoint, large / 2 - 1, large / 2, large), large - 2);
}

/// u = 1 in one cell, 0 in all others, against u = 0: of the continuum at rest with u0 = 0, and of
/// other cells, whichever of the two is the level.
TEST(FieldErrors, see_every_cell) {
  constexpr std::int64_t cells = 3000;  // three blocks
  parallel::Vector u(world(), cells);
  const parallel::Vector finer(world(), 7001);
  const parallel::Vector coarser(world(), 1100);
  const engine::RunSpec level = run_of({.space = slab::Cells{cells}});
  const engine::RunSpec few = run_of({.space = slab::Cells{1100}});
  for (const std::int64_t cell : {0, 1, 1023, 1024, 2047, 2048, 2999}) {
    fill(u, [&](std::int64_t i) { return i == cell ? 1.0 : 0.0; });
    for (const Field& rest : {Field{}, Field{.entries = &finer}, Field{.entries = &coarser}}) {
      EXPECT_EQ(errors_of(level, {.entries = &u}, rest).all, (std::array{0.0, 0.0, 1.0, 1.0}))
          << cell;
    }
    EXPECT_EQ(errors_of(few, {.entries = &coarser}, {.entries = &u})[Errors::u], 1.0) << cell;
  }
}

/// Of cells against P = ∞, kept as functions and looked at where they can be largest, and kept as a
/// vector of all cells. Between two times: at the later one both agree; at the earlier one u is
/// that of x = a against that of a slab that has been at X and gone back by 2a. Where u0 = 0 their
/// difference 2η, then 3a - η, has its peak where η = a, at a kink of that time alone.
TEST(FieldErrors, of_functions_are_those_of_all_cells) {
  constexpr std::int64_t cells = 30000;
  constexpr double a = 0.3537;
  constexpr double farthest = 0.9;
  const slab::RememberedElongation later{0.0, 0.6, 1, 0.6, 0.0, {}};
  const study::ContinuousField here{later, {0.0, a, 1, a, 0.0, {}}, 0.25};
  const study::ContinuousField there{
      later, {0.0, farthest - 2 * a, -1, farthest, 0.0, {{farthest, -farthest}}}, 0.25};
  for (const auto& [threshold, initial_u, rule] :
       {std::tuple("s+0.1", "0", Rule::right),
        {"s+0.1", "0", Rule::midpoint},
        {"0.2+0.5*s^2", "0.2*sin(20*s)", Rule::midpoint},
        {"0.5+0.3*cos(9*s)", "0.1-0.2*s", Rule::right}}) {
    SCOPED_TRACE(threshold);
    const engine::RunSpec run = run_of({.threshold = threshold,
                                        .initial_u = initial_u,
                                        .space = slab::Cells{cells},
                                        .rule = rule});
    const slab::Slab& slab = *engine::slab_of(run);
    parallel::Vector u(world(), cells);
    fill(u, [&](std::int64_t i) { return here(slab.element(slab.point(i))); });
    const Errors all = errors_of(run, {.entries = &u}, {.function = there});
    const Errors some = errors_of(run, {.function = here}, {.function = there});
    EXPECT_EQ(some[Errors::u_cells], all[Errors::u_cells]);
    if (initial_u == std::string("0")) {
      EXPECT_NEAR(all[Errors::u], 0.75 * 2 * a, 2.0 / cells);
      EXPECT_EQ(some[Errors::u], all[Errors::u]);
    }
    // Of u over all s, η' between 4097 places.
    EXPECT_LE(some[Errors::u], all[Errors::u]);
    EXPECT_NEAR(some[Errors::u], all[Errors::u], 1e-5 * all[Errors::u]);
  }
}

/// Of x, y, u: those of x and y count as theirs.
TEST(FieldErrors, of_a_state_are_those_of_what_is_neither_x_nor_y) {
  const study::StudySpec spec =
      given::spec_of("model=prandtl; set k=1; set eta=0.5; final-time=1; levels=100,200");
  for (const std::int64_t column : {0, 1, 2}) {
    parallel::Vector level(support::alone(), 3);
    const parallel::Vector rest(support::alone(), 3);
    fill(level, [&](std::int64_t i) { return i == column ? 0.5 : 0.0; });
    const Errors found = errors_of(spec.run, {.entries = &level}, {.entries = &rest});
    EXPECT_EQ(found[Errors::u], column == 2 ? 0.5 : 0.0) << column;
    EXPECT_EQ(found[Errors::u_cells], found[Errors::u]) << column;
  }
}

/// Chains of 4 and 6 elements have the nodes of 2 in common, and the base where it absorbs: the
/// largest errors of x and y, and their root mean squares.
TEST(FieldErrors, of_chains_are_those_of_common_nodes) {
  for (const std::int64_t base : {0, 1}) {
    const study::StudySpec spec = given::spec_of(
        std::string(base == 0 ? "" : "set base_impedance=1; set base_mass=1; ") +
        "model=masing-chain; set n=4; set m=1; set k=1; final-time=1; levels=100,200");
    const auto value = [](std::int64_t n, std::int64_t i) {
      return std::sin(double(7 * n + i * i));
    };
    parallel::Vector level(world(), 2 * (4 + base));
    parallel::Vector reference(world(), 2 * (6 + base));
    fill(level, [&](std::int64_t i) { return value(4, i); });
    fill(reference, [&](std::int64_t i) { return value(6, i); });
    const Errors found = errors_of(spec.run, {.entries = &level}, {.entries = &reference});
    for (const int column : {0, 1}) {
      double most = 0.0;
      double squares = 0.0;
      for (const int half : {0, 1, 2}) {
        const auto at = [&](std::int64_t n) {
          return value(n, 2 * (half * n / 2 - 1 + base) + column);
        };
        const double apart = half == 0 && base == 0 ? 0.0 : std::abs(at(4) - at(6));
        most = std::max(most, apart);
        squares += apart * apart;
      }
      EXPECT_DOUBLE_EQ(found[column == 0 ? Errors::x : Errors::y], most);
      EXPECT_NEAR(found[column == 0 ? Errors::u : Errors::u_cells],
                  std::sqrt(squares / double(2 + base)), 1e-12);
    }
  }
}

struct Recorded {
  engine::RunSpec run;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<std::vector<double>> u;            // [N+1][P]; for P = ∞ not looked at
  std::vector<slab::RememberedElongation> of_s;  // [N+1] for P = ∞

  [[nodiscard]] std::int64_t steps() const { return run.time.steps; }
  [[nodiscard]] bool is_continuum() const { return engine::slab_of(run)->is_continuum(); }
  [[nodiscard]] std::int64_t cells() const { return run.model->layout().size; }

  /// A function of the step at t = T·numerator/denominator, linear between steps.
  template <typename Function>
  [[nodiscard]] double at(std::int64_t numerator, std::int64_t denominator,
                          const Function& value) const {
    const auto p = static_cast<std::size_t>(numerator * steps() / denominator);
    const double rest =
        static_cast<double>(numerator * steps() % denominator) / static_cast<double>(denominator);
    return rest == 0 ? value(p) : (1 - rest) * value(p) + rest * value(p + 1);
  }
};

Recorded recorded(const engine::RunSpec& run) {
  Recorded made{run, {}, {}, {}, {}};
  const parallel::Communicator alone = support::alone();
  const engine::Setup setup = engine::make_setup(alone, run);
  engine::Stepper stepper(alone, *setup.engine, run);
  for (std::int64_t p = 0; p <= run.time.steps; ++p) {
    if (p > 0) {
      stepper.share(p - 1, 1, 1);
    }
    const engine::Motion motion = p == 0 ? stepper.start() : stepper.advance(p - 1);
    made.x.push_back(motion.x[0]);
    made.y.push_back(motion.y[0]);
    if (made.is_continuum()) {
      made.of_s.push_back(*setup.engine->elongation());
    } else {
      const auto u = setup.engine->state().values();
      made.u.emplace_back(u.begin(), u.end());
    }
  }
  return made;
}

/// x and y at t = jT/times, j = 0..times; u at t = jT/samples, j = 1..samples.
Errors brute_force(const Recorded& level, const Recorded& reference, std::int64_t times,
                   std::int64_t samples) {
  Errors worst;
  for (std::int64_t j = 0; j <= times; ++j) {
    const auto at = [&](const Recorded& of, const std::vector<double>& values) {
      return of.at(j, times, [&](std::size_t p) { return values[p]; });
    };
    raise(worst[Errors::x], at(level, level.x), at(reference, reference.x));
    raise(worst[Errors::y], at(level, level.y), at(reference, reference.y));
  }
  const slab::Slab& slab = *engine::slab_of(level.run);
  for (std::int64_t t = 1; t <= samples; ++t) {
    std::vector<double> there;
    for (std::int64_t j = 0; !reference.is_continuum() && j < reference.cells(); ++j) {
      there.push_back(reference.at(
          t, samples, [&](std::size_t p) { return reference.u[p][static_cast<std::size_t>(j)]; }));
    }
    for (std::int64_t i = 0; i < level.cells(); ++i) {
      const double here = level.at(
          t, samples, [&](std::size_t p) { return level.u[p][static_cast<std::size_t>(i)]; });
      if (reference.is_continuum()) {
        const auto raise_at = [&](Errors::Of of, double s) {
          raise(worst[of], here, reference.at(t, samples, [&](std::size_t p) {
            return reference.of_s[p](slab.element(s));
          }));
        };
        for (const std::int64_t end : {i, i + 1}) {
          raise_at(Errors::u, static_cast<double>(end) / static_cast<double>(level.cells()));
        }
        raise_at(Errors::u_cells, slab.point(i));
      } else {
        const std::int64_t coarse = level.cells();
        const std::int64_t fine = reference.cells();
        const std::int64_t halves =
            slab.rule == Rule::right ? 2 * i + 2 : 2 * i + 1;  // s = halves/2P
        for (std::int64_t j = i * fine / coarse; j * coarse < (i + 1) * fine; ++j) {
          raise(worst[Errors::u], here, there[static_cast<std::size_t>(j)]);
          if (2 * j * coarse < halves * fine && halves * fine <= 2 * (j + 1) * coarse) {
            raise(worst[Errors::u_cells], here, there[static_cast<std::size_t>(j)]);
          }
        }
      }
    }
  }
  return worst;
}

TEST(Errors, are_those_of_brute_force) {
  for (const char* levels : {
           "finest; levels=3:40,6:80; field-samples=20",       // nested in s and t
           "finest; levels=3:40,7:50,10:73; field-samples=6",  // nested in neither
           "successive; levels=700:40,1500:60,4100:60",        // over blocks
           "successive; levels=5:13,7:17; field-samples=60",   // more field times than steps
           "exact; levels=3:40,7:73",                          // at P = ∞
           "exact-time; levels=3:40,7:50,7:73",                // one exact solution for two levels
           "cells-inf; levels=3:40,7:50",
       }) {
    for (const char* rule : {"right", "midpoint"}) {
      if (world().size() > 1 && rule == std::string("midpoint")) {
        continue;  // ranks do not change the rule
      }
      const study::StudySpec spec = given::spec_of(
          std::string("reference=") + levels + "; rule=" + rule +
          "; field-samples=6; final-time=13.7; refine=both; threshold=s+0.1; initial-u=0.05*s; "
          "force=0.9*cos(0.7*t); k0=0.1; expect-order=none");
      const study::StudyPlan plan = study::make_plan(spec, 1, 1e11);
      const std::int64_t times = plan.field_times.count() - 1;
      const auto found = support::outcomes(
          world(), plan, plan.all(),
          [](const study::Lockstep& lockstep) { return lockstep.steps().done + 17; });
      ASSERT_EQ(found.size(), spec.levels.size());
      for (const auto& [i, outcome] : found) {
        SCOPED_TRACE(std::string(levels) + " " + rule + ", level " + std::to_string(i));
        const auto index = static_cast<std::size_t>(i);
        if (!plan.comparisons[index].reference) {
          EXPECT_EQ(outcome.errors.largest(), 0.0);
          continue;
        }
        const Recorded level = recorded(plan.runs[index].run);
        engine::RunSpec other = plan.runs[*plan.comparisons[index].reference].run;
        const bool is_exact = other.method == engine::Method::exact;
        if (is_exact) {  // its steps are those of the level and the times of u
          other.time.steps = std::lcm(level.steps(), times);
        }
        const Errors expected = brute_force(level, recorded(other), level.steps(), times);
        for (std::size_t q = 0; q < expected.all.size(); ++q) {
          // Interpolations of numbers of that size round by a few eps.
          EXPECT_NEAR(outcome.errors[q], expected[q], is_exact ? 1e-11 : 1e-13) << q;
        }
        EXPECT_GT(expected[Errors::x], 1e-8);
        EXPECT_GT(expected[Errors::u], 1e-4);
      }
    }
  }
}

TEST(SampleTimes, know_their_steps) {
  const study::StepTime place = SampleTimes(4).at(3, {10.0, 15});
  EXPECT_EQ(std::tuple(place.step, place.fraction, place.end()), std::tuple(11, 0.25, 12));
  EXPECT_EQ(SampleTimes(4).at(4, {10.0, 15}).end(), 15);
  EXPECT_EQ(SampleTimes(4).time(3, 10.0), 7.5);
  // Products beyond 64 bits.
  constexpr std::int64_t many = std::int64_t{1} << 40;
  const study::StepTime far = SampleTimes(many).at(many - 1, {1.0, 3L << 39});
  EXPECT_EQ(far.step, (3L << 39) - 2);
  EXPECT_EQ(far.fraction, 0.5);
}

}  // namespace masing::test_error_norms
