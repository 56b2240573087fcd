// Recordings and error norms of hand-made motions and fields against brute force: x and y over the
// level's steps, u over the field times and all s (constant on cells, so a maximum over pairs of
// cells that overlap) or the cells' own points; everything linear in t between steps.
// Source: Proposition 4.1, continuous-masing-2001.

#include "study/errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "support/problem.hpp"
#include "support/world.hpp"

namespace masing::test_error_norms {

using slab::Rule;
using study::Recording;
using study::SampleTimes;
using support::world;

/// What a run is made of here: any functions of the step and the cell will do.
struct Made {
  std::int64_t cells;
  std::int64_t steps;
  double shift;

  [[nodiscard]] double x(std::int64_t p) const { return std::sin(5.0 * share(p) + shift); }
  [[nodiscard]] double y(std::int64_t p) const { return std::cos(9.0 * share(p) * shift); }
  [[nodiscard]] double u(std::int64_t p, std::int64_t i) const {
    return std::sin(3.0 * share(p) + 40.0 * static_cast<double>(i) / static_cast<double>(cells)) +
           shift;
  }
  [[nodiscard]] double share(std::int64_t p) const {
    return static_cast<double>(p) / static_cast<double>(steps);
  }

  /// A function of the step at t = T·numerator/denominator, linear between steps.
  template <typename Function>
  double at(std::int64_t numerator, std::int64_t denominator, const Function& value) const {
    const std::int64_t p = numerator * steps / denominator;
    const double rest =
        static_cast<double>(numerator * steps % denominator) / static_cast<double>(denominator);
    return rest == 0 ? value(p) : (1 - rest) * value(p) + rest * value(p + 1);
  }
};

/// An engine whose field is set from outside.
class Puppet final : public engine::Engine {
 public:
  explicit Puppet(std::int64_t cells) : u_(world(), cells) {}
  [[nodiscard]] engine::Sample sample() const override { return {}; }
  void advance(const slab::Chunk& /*chunk*/) override {}
  const parallel::Vector& field() override { return u_; }
  void exchange(std::int64_t /*step*/, engine::Archive& /*archive*/) override {}

  /// At rest with u0 = 0: u = 0 everywhere.
  std::optional<slab::RememberedElongation> elongation() override { return {{}}; }

  /// u = 1 in one cell, 0 in all others.
  void show_peak(std::int64_t cell) {
    const parallel::WriteAccess access(u_);
    for (std::int64_t i = 0; i < u_.range().size; ++i) {
      access.values()[static_cast<std::size_t>(i)] = u_.range().first + i == cell ? 1.0 : 0.0;
    }
  }

  void show(const Made& made, std::int64_t p) {
    const parallel::WriteAccess access(u_);
    for (std::int64_t i = 0; i < u_.range().size; ++i) {
      access.values()[static_cast<std::size_t>(i)] = made.u(p, u_.range().first + i);
    }
  }

 private:
  parallel::Vector u_;
};

support::Problem problem_of(const Made& made, Rule rule) {
  return support::problem({.steps = made.steps, .space = slab::Cells{made.cells}, .rule = rule});
}

engine::RunSpec run_of(const Made& made, Rule rule) {
  support::Problem problem = problem_of(made, rule);
  return {engine::Masing{.slab = std::move(problem)}, {}, problem.time};
}

/// Recorded at the steps of a level that has `steps`.
std::unique_ptr<Recording> record(const Made& made, Rule rule, std::int64_t steps,
                                  std::int64_t field_samples) {
  const support::Problem problem = problem_of(made, rule);
  auto recording = std::make_unique<Recording>(
      world(), problem.time, problem.field_cells(), std::vector{SampleTimes(steps)},
      study::uniform_times(problem.time.steps, field_samples));
  Puppet puppet(made.cells);
  for (std::int64_t p = 0; p <= made.steps; ++p) {
    puppet.show(made, p);
    const std::array<double, 1> x{made.x(p)};
    const std::array<double, 1> y{made.y(p)};
    recording->observe({.first_step = p, .force = x, .x = x, .y = y, .restoring = x}, puppet);
  }
  return recording;
}

study::Errors brute_force(const Made& level, const Made& reference, Rule rule,
                          std::int64_t field_samples) {
  study::Errors worst;
  const auto raise = [](double& most, double a, double b) {
    most = std::max(most, std::abs(a - b));
  };
  for (std::int64_t p = 0; p <= level.steps; ++p) {
    raise(worst.x, level.x(p),
          reference.at(p, level.steps, [&](std::int64_t q) { return reference.x(q); }));
    raise(worst.y, level.y(p),
          reference.at(p, level.steps, [&](std::int64_t q) { return reference.y(q); }));
  }
  const std::int64_t coarse = level.cells;
  const std::int64_t fine = reference.cells;
  for (std::int64_t sample = 1; sample <= field_samples; ++sample) {
    for (std::int64_t i = 0; i < coarse; ++i) {
      const double here =
          level.at(sample, field_samples, [&](std::int64_t q) { return level.u(q, i); });
      for (std::int64_t j = 0; j < fine; ++j) {
        // ]i/P, (i+1)/P] meets ]j/P', (j+1)/P'] in more than a point.
        if (i * fine >= (j + 1) * coarse || j * coarse >= (i + 1) * fine) {
          continue;
        }
        const double there =
            reference.at(sample, field_samples, [&](std::int64_t q) { return reference.u(q, j); });
        raise(worst.u, here, there);
        const std::int64_t halves = rule == Rule::right ? 2 * i + 2 : 2 * i + 1;  // s = halves/2P
        if (2 * j * coarse < halves * fine && halves * fine <= 2 * (j + 1) * coarse) {
          raise(worst.u_cells, here, there);
        }
      }
    }
  }
  return worst;
}

struct Pair {
  Made level;
  Made reference;
  std::int64_t field_samples;
};

TEST(Errors, are_those_of_brute_force) {
  // Interpolations of numbers below 3 round by a few eps.
  const double tolerance = 16 * std::numeric_limits<double>::epsilon();
  const Pair pairs[] = {
      {{3, 4, 0.1}, {6, 12, 0.2}, 4},      // nested in s and t
      {{3, 4, 0.1}, {7, 10, 0.3}, 5},      // nested in neither
      {{10, 7, 0.1}, {16, 7, 0.1}, 3},     // field times between steps
      {{1, 1, 0.5}, {1, 1, 0.5}, 1},       // the same run: no error
      {{5, 3, 0.4}, {5, 48, 0.4}, 20},     // more field times than steps
      {{700, 6, 0.2}, {1500, 9, 0.3}, 2},  // over two blocks
      {{1500, 5, 0.2}, {4100, 5, 0.1}, 2},
  };
  for (const auto& [level, reference, samples] : pairs) {
    for (const Rule rule : {Rule::right, Rule::midpoint}) {
      const auto errors =
          study::errors(world(), run_of(level, rule), *record(level, rule, level.steps, samples),
                        *record(reference, rule, level.steps, samples));
      const auto expected = brute_force(level, reference, rule, samples);
      EXPECT_NEAR(errors.x, expected.x, tolerance) << level.cells;
      EXPECT_NEAR(errors.y, expected.y, tolerance) << level.cells;
      EXPECT_NEAR(errors.u, expected.u, tolerance) << level.cells;
      EXPECT_NEAR(errors.u_cells, expected.u_cells, tolerance) << level.cells;
    }
  }
}

TEST(Errors, of_a_run_against_itself_are_zero) {
  const Made made{1030, 6, 0.3};
  const auto run = record(made, Rule::right, made.steps, 4);
  const auto errors = study::errors(world(), run_of(made, Rule::right), *run, *run);
  EXPECT_EQ(errors.x, 0.0);
  EXPECT_EQ(errors.y, 0.0);
  EXPECT_EQ(errors.u, 0.0);
  EXPECT_EQ(errors.u_cells, 0.0);
}

/// One step of a motion at rest, with u as the puppet shows it: [columns], or as a function.
std::unique_ptr<Recording> at_rest(const support::Problem& problem,
                                   std::optional<std::int64_t> columns, Puppet& puppet) {
  auto recording = std::make_unique<Recording>(world(), problem.time, columns,
                                               std::vector{SampleTimes(problem.time.steps)},
                                               study::uniform_times(problem.time.steps, 1));
  const std::array<double, 1> zero{};
  for (std::int64_t p = 0; p <= problem.time.steps; ++p) {
    recording->observe({.first_step = p, .force = zero, .x = zero, .y = zero, .restoring = zero},
                       puppet);
  }
  return recording;
}

TEST(Errors, of_cells_against_the_continuum_see_every_cell) {
  const Made made{3000, 1, 0.0};  // three blocks
  const support::Problem problem = problem_of(made, Rule::right);
  Puppet puppet(made.cells);
  const auto continuum = at_rest(problem, std::nullopt, puppet);
  for (int rank = 0; rank < world().size(); ++rank) {
    const base::CellRange range = base::local_range(made.cells, rank, world().size());
    for (const std::int64_t cell : {range.first, range.first + range.size - 1}) {
      if (range.size == 0) {
        continue;
      }
      puppet.show_peak(cell);
      const auto level = at_rest(problem, made.cells, puppet);
      const auto errors = study::errors(world(), run_of(made, Rule::right), *level, *continuum);
      EXPECT_EQ(errors.u, 1.0) << cell;
      EXPECT_EQ(errors.u_cells, 1.0) << cell;
    }
  }
}

TEST(Recording, asks_for_the_steps_around_its_field_times) {
  const support::Problem problem = support::problem({.steps = 10, .space = slab::Cells{5}});
  const Recording on_steps(world(), problem.time, problem.field_cells(), {},
                           study::uniform_times(problem.time.steps, 5));
  EXPECT_EQ(on_steps.next_field_step(0), 2);
  EXPECT_EQ(on_steps.next_field_step(2), 4);
  EXPECT_EQ(on_steps.next_field_step(9), 10);
  EXPECT_EQ(on_steps.next_field_step(10), engine::never);
  const Recording between(world(), problem.time, problem.field_cells(), {},
                          study::uniform_times(problem.time.steps, 4));  // at steps 2½, 5, 7½, 10
  EXPECT_EQ(between.next_field_step(0), 2);
  EXPECT_EQ(between.next_field_step(2), 3);
  EXPECT_EQ(between.next_field_step(3), 5);
  EXPECT_EQ(between.next_field_step(5), 7);
}

/// x and y at `times`, put together from what the ranks keep of a recording.
std::vector<double> kept_by_all(const Recording& recording, const SampleTimes& times) {
  std::vector<double> mine;
  const Recording::View view = recording.at(times);
  for (std::int64_t i = view.range.first; i < view.range.first + view.range.size; ++i) {
    mine.insert(mine.end(), {view(i).x, view(i).y});
  }
  const base::AlignedVector all = parallel::gather(world(), mine);
  return {all.begin(), all.end()};
}

TEST(Recording, is_split_in_time_and_linear_between_its_steps) {
  const Made made{4, 12, 0.3};
  const auto run = record(made, Rule::right, 8, 1);  // every 1½ steps
  std::vector<double> expected;
  for (std::int64_t i = 0; i <= 8; ++i) {
    expected.push_back(made.at(i, 8, [&](std::int64_t p) { return made.x(p); }));
    expected.push_back(made.at(i, 8, [&](std::int64_t p) { return made.y(p); }));
  }
  const std::vector<double> found = kept_by_all(*run, SampleTimes(8));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 4 * std::numeric_limits<double>::epsilon()) << i;
  }
  // What is asked for may be a part of what is kept.
  EXPECT_EQ(kept_by_all(*run, SampleTimes(2)),
            (std::vector{found[0], found[1], found[8], found[9], found[16], found[17]}));
  EXPECT_EQ(run->end().x, made.x(12));
}

/// A rank keeps what it is asked for and no more; the same rank keeps the same time.
TEST(SampleTimes, are_shared_out_in_time) {
  for (const std::int64_t intervals : {1, 3, 7, 48, 1000}) {
    for (const int ranks : {1, 2, 3, 7}) {
      std::int64_t end = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const base::CellRange coarse = SampleTimes(intervals).share(rank, ranks);
        const base::CellRange fine = SampleTimes(5 * intervals).share(rank, ranks);
        EXPECT_EQ(coarse.first, end);
        end += coarse.size;
        EXPECT_LE(coarse.size, intervals / ranks + 2);
        for (std::int64_t i = coarse.first; i < coarse.first + coarse.size; ++i) {
          EXPECT_LE(fine.first, 5 * i);
          EXPECT_LT(5 * i, fine.first + fine.size);
        }
      }
      EXPECT_EQ(end, intervals + 1);
    }
  }
}

TEST(SampleTimes, know_how_many_have_passed) {
  const slab::TimeGrid time{10.0, 15};
  const SampleTimes uniform(4);  // steps 0, 3¾, 7½, 11¼, 15
  const auto times = std::make_shared<const std::vector<double>>(std::vector{0.0, 2.0, 2.5, 10.0});
  const SampleTimes given(times);  // steps 0, 3, 3¾, 15
  std::vector<std::int64_t> passed;
  std::vector<std::int64_t> passed_given;
  for (const std::int64_t step : {0, 2, 3, 4, 14, 15}) {
    passed.push_back(uniform.passed(step, time));
    passed_given.push_back(given.passed(step, time));
  }
  EXPECT_EQ(passed, (std::vector<std::int64_t>{1, 1, 1, 2, 4, 5}));
  EXPECT_EQ(passed_given, (std::vector<std::int64_t>{1, 1, 2, 3, 3, 4}));
  EXPECT_TRUE(SampleTimes(12).contain(SampleTimes(4)));
  EXPECT_FALSE(SampleTimes(12).contain(SampleTimes(5)));
  EXPECT_FALSE(given.contain(uniform));
}

}  // namespace masing::test_error_norms
