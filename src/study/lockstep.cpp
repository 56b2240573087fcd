#include "study/lockstep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/seconds.hpp"

namespace masing::study {

using engine::Pause;

Lockstep::Lockstep(const parallel::Communicator& comm, const StudyPlan& plan, Batch comparisons)
    : comm_(comm), own_(MPI_COMM_SELF), plan_(plan), comparisons_(std::move(comparisons)) {
  const double bytes = bytes_a_rank(plan, comparisons_);
  for (const campaign::Unit index : comparisons_) {
    const Comparison& of = plan.comparisons[index];
    make_run(of.level, bytes);
    Pair& pair = pairs_.emplace_back(Pair{index, of, FieldErrors(plan.runs[of.level].run), {}, 0});
    if (of.reference) {
      make_run(*of.reference, bytes);
    }
    compare_motion(pair);
  }
}

/// Sets up the run that has the index `index` in StudyPlan::runs, unless it is already set up.
/// `bytes`: the estimated memory per rank of all comparisons of this object, in bytes.
void Lockstep::make_run(std::size_t index, double bytes) {
  if (runs_.contains(index)) {
    return;
  }
  const PlannedRun& planned = plan_.runs[index];
  // If every rank sets up the run by itself, the setup may fail or be stopped on some ranks only.
  // In this case, on_each() throws on all ranks.
  parallel::on_each(comm_, [&] {
    runs_.try_emplace(index, planned.ranks > 1 ? comm_ : own_, planned.run, planned.options,
                      plan_.available - (bytes - planned.engine_bytes));
  });
  steps_ = planned.options.goes_to_times ? steps_ : std::max(steps_, planned.run.time.steps);
}

Pause Lockstep::advance(std::int64_t last, Pause wish, campaign::Records& records) {
  const std::int64_t step = step_;
  // The root broadcasts the last step of the window, or the pause that it requests, which is a
  // negative number.
  std::int64_t end =
      wish != Pause::none ? static_cast<std::int64_t>(wish) : std::min(last, step + pace_.steps());
  parallel::broadcast(comm_, std::span(&end, 1));
  if (end < 0) {
    return static_cast<Pause>(end);
  }
  const double begin = base::seconds_now();
  go_on(end);
  pace_.record(std::max<std::int64_t>(1, step_ - step), base::seconds_now() - begin);
  if (is_done()) {
    add_to(records);
  }
  return Pause::none;
}

/// Advances all runs by one window, which ends at step `last` of the finest run at the latest, and
/// compares the levels with their references.
void Lockstep::go_on(std::int64_t last) {
  const slab::TimeGrid finest{plan_.spec->run.time.final_time, steps_};
  const SampleTimes& fields = plan_.field_times;
  const std::int64_t next = has_field_left() ? fields.at(next_field_, finest).end() : engine::never;
  const std::int64_t end = std::min({last, steps_, next});
  // The window ends at the time with the index `index` in `times`.
  const bool has_field = next == end;
  const SampleTimes times = has_field ? fields : SampleTimes(steps_);
  const std::int64_t index = has_field ? next_field_ : end;
  for (auto& [run, one] : runs_) {
    const slab::TimeGrid& grid = one.run().time;
    try {
      if (one.goes_to_times()) {
        go_to_times(run, times, index, has_field);
      } else {
        one.go_to(times.at(index, grid),
                  has_field_left() ? fields.at(next_field_, grid) : StepTime{});
      }
    } catch (const base::UserError& error) {
      throw base::UserError(error.quantity(),
                            fmt::format("{} ({}): {}", plan_.runs[run].options.title,
                                        engine::title(one.run()), error.fault()));
    }
  }
  for (Pair& pair : pairs_) {
    compare_motion(pair);
  }
  if (has_field) {
    compare_fields();
    ++next_field_;
  }
  step_ = end;
}

/// Advances the exact solution that has the index `reference` in StudyPlan::runs. It is advanced
/// through the times of the steps of all levels that are compared with it, up to the time with
/// index `last` in `times`. If `has_field`, u is compared at this last time, and the solution is
/// also advanced to it. If the time is a step of several levels, rounding may give it a different
/// value in each of them. The largest value of all levels in the plan is used, so that the result
/// does not depend on the batch.
void Lockstep::go_to_times(std::size_t reference, const SampleTimes& times, std::int64_t last,
                           bool has_field) {
  std::vector<double> asked;
  for (const Pair& pair : pairs_) {
    if (pair.of.reference == reference) {
      const slab::TimeGrid& grid = runs_.at(pair.of.level).run().time;
      const std::int64_t end = times.at(last, grid).step;
      for (std::int64_t p = pair.next; p <= end; ++p) {
        asked.push_back(grid.time(p));
      }
    }
  }
  Trajectory& exact = runs_.at(reference);
  if (has_field) {
    std::optional<double> time_of_u;
    for (const Comparison& of : plan_.comparisons) {
      const slab::TimeGrid& grid = plan_.runs[of.level].run.time;
      const StepTime end = times.at(last, grid);
      if (of.reference == reference && end.fraction == 0) {
        time_of_u = std::max(time_of_u, std::optional(grid.time(end.step)));
      }
    }
    asked.push_back(time_of_u.value_or(times.time(last, exact.run().time.final_time)));
  }
  std::ranges::sort(asked);
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  exact.go_to(asked);
}

void Lockstep::compare_motion(Pair& pair) const {
  if (!pair.of.reference) {
    return;
  }
  const Trajectory& level = runs_.at(pair.of.level);
  const slab::TimeGrid& grid = level.run().time;
  const Trajectory& reference = runs_.at(*pair.of.reference);
  const SampleTimes times(grid.steps);
  for (; pair.next < times.count(); ++pair.next) {
    const auto here = level.at({pair.next});
    const auto there = reference.goes_to_times()
                           ? reference.at_time(grid.time(pair.next))
                           : reference.at(times.at(pair.next, reference.run().time));
    if (!here || !there) {
      return;
    }
    pair.errors.raise(Errors::x, std::abs(here->x - there->x));
    pair.errors.raise(Errors::y, std::abs(here->y - there->y));
  }
}

void Lockstep::compare_fields() {
  std::map<std::size_t, Field> fields;
  for (auto& [index, one] : runs_) {
    fields[index] = one.field_at(plan_.field_times.at(next_field_, one.run().time));
  }
  for (Pair& pair : pairs_) {
    if (pair.of.reference) {
      pair.field_errors.update_max(comm_, pair.errors, fields[pair.of.level],
                                   fields[*pair.of.reference]);
    }
  }
}

void Lockstep::serialize(engine::Archive& archive) {
  archive.scalars("comparisons", step_, next_field_);
  for (Pair& pair : pairs_) {
    auto& [x, y, u, u_cells] = pair.errors.all;
    parallel::max_over_ranks(comm_, pair.errors.all);
    archive.scalars("comparison " + std::to_string(pair.index), x, y, u, u_cells, pair.next);
  }
  for (auto& [index, one] : runs_) {
    archive.begin("run " + std::to_string(index));
    one.serialize(archive);
  }
}

/// Appends the record of each comparison to `records`.
void Lockstep::add_to(campaign::Records& records) {
  for (Pair& pair : pairs_) {
    Trajectory& level = runs_.at(pair.of.level);
    parallel::max_over_ranks(comm_, pair.errors.all);
    Outcome outcome{.errors = pair.errors, .run = level.summary()};
    parallel::max_over_ranks(comm_, std::span(&outcome.run.largest_u, 1));
    if (pair.of.reference >= plan_.spec->levels.size()) {  // a reference that is no level
      outcome.self_check = runs_.at(*pair.of.reference).self_check();
    }
    outcome.series = std::move(level).series();
    records.add(pair.index, campaign::packed(std::move(outcome)));
  }
}

}  // namespace masing::study
