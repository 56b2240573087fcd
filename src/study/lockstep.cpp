#include "study/lockstep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace masing::study {

/// A level and what it is measured against.
struct Lockstep::Pair {
  std::size_t index;  ///< of the comparison
  Comparison of;
  FieldErrors field_errors;
  Errors errors;          ///< so far, of this rank
  std::int64_t next = 0;  ///< the first time that x and y have not been compared at
};

/// Where a window ends: at time `index` of `times`; there u is compared where it `has_field`.
struct Lockstep::Window {
  SampleTimes times;
  std::int64_t index = 0;
  bool has_field = false;
  std::int64_t last = 0;  ///< step of the finest run
};

namespace {

/// Another archive, with names of its own.
class NamedArchive final : public engine::Archive {
 public:
  NamedArchive(engine::Archive& archive, std::string prefix)
      : archive_(archive), prefix_(std::move(prefix)) {}
  [[nodiscard]] bool restores() const override { return archive_.restores(); }
  void numbers(const std::string& name, std::vector<double>& values) override {
    archive_.numbers(prefix_ + name, values);
  }
  void split(const std::string& name, parallel::Vector& values) override {
    archive_.split(prefix_ + name, values);
  }

 private:
  engine::Archive& archive_;
  std::string prefix_;
};

void raise(Errors& errors, const PhasePoint& here, const PhasePoint& there) {
  errors.x = std::max(errors.x, std::abs(here.x - there.x));
  errors.y = std::max(errors.y, std::abs(here.y - there.y));
}

}  // namespace

Lockstep::Lockstep(const parallel::Communicator& comm, const StudyPlan& plan, Batch comparisons)
    : comm_(comm),
      own_(comm, comm.rank(), 1),
      plan_(plan),
      comparisons_(std::move(comparisons)),
      runs_(plan.runs.size()) {
  const double bytes = bytes_a_rank(plan, comparisons_);
  if (plan.spec->reference.file) {
    file_.emplace(comm, *plan.spec);
  }
  for (const std::size_t index : comparisons_) {
    const Comparison& of = plan.comparisons[index];
    for (const auto run : {std::optional(of.level), of.reference}) {
      if (run && runs_[*run] == nullptr) {
        const engine::RunSpec& spec = plan.runs[*run].run;
        const RunForm& form = plan.runs[*run].form;
        const int ranks = plan.runs[*run].ranks;
        const double engine = engine::bytes_a_rank(engine::memory_need(spec, ranks));
        const engine::MemoryBudget budget{.beside = bytes - engine, .available = plan.available};
        // Where each rank makes it, one may be stopped before it is made and another not.
        std::optional<base::Stopped> stopped;
        try {
          runs_[*run] = std::make_unique<Trajectory>(ranks > 1 ? comm : own_, spec, form, budget);
        } catch (const base::Stopped& stop) {
          stopped = stop;
        }
        if (parallel::min_over_ranks(comm, stopped ? 0 : 1) == 0) {
          throw stopped.value_or(base::Stopped("stopped"));
        }
        steps_ = form.goes_to_times ? steps_ : std::max(steps_, spec.time.steps);
      }
    }
    pairs_.push_back({index, of, FieldErrors(plan.runs[of.level].run), {}, 0});
  }
  next_field_ = plan.first_field;
  for (Pair& pair : pairs_) {
    if (pair.of.reference) {
      raise(pair.errors, run(pair.of.level).at(0), run(*pair.of.reference).at(0));
      pair.next = 1;
    }
  }
}

Lockstep::~Lockstep() = default;

bool Lockstep::is_done() const {
  return step_ == steps_ && next_field_ >= plan_.field_times.count();
}

Lockstep::Window Lockstep::next_window(std::int64_t last) const {
  last = std::min(last, steps_);
  if (next_field_ < plan_.field_times.count()) {
    const slab::TimeGrid finest{plan_.spec->run.time.final_time, steps_};
    const std::int64_t end = plan_.field_times.at(next_field_, finest).end();
    if (end <= last) {
      return {plan_.field_times, next_field_, true, end};
    }
  }
  return {SampleTimes(steps_), last, false, last};
}

void Lockstep::advance(std::int64_t last) {
  const Window window = next_window(last);
  const bool has_field = next_field_ < plan_.field_times.count();
  for (std::size_t index = 0; index < runs_.size(); ++index) {
    if (runs_[index] == nullptr) {
      continue;
    }
    Trajectory& one = run(index);
    const slab::TimeGrid& grid = one.run().time;
    try {
      if (one.goes_to_times()) {
        go_to_times(index, window);
      } else {
        one.go_to(window.times.at(window.index, grid),
                  has_field ? plan_.field_times.at(next_field_, grid) : Moment{});
      }
    } catch (const base::UserError& error) {
      throw base::UserError(error.quantity(),
                            fmt::format("{} ({}): {}", plan_.runs[index].form.title,
                                        engine::title(one.run()), error.fault()));
    }
  }
  for (Pair& pair : pairs_) {
    compare_motion(pair);
  }
  if (window.has_field) {
    compare_fields();
    ++next_field_;
  }
  step_ = window.last;
}

/// To the times of all levels that are measured against it, and to that of u: rounded as the level
/// does that rounds it latest, also one of another batch, so that it does not depend on who is
/// here.
void Lockstep::go_to_times(std::size_t reference, const Window& window) {
  std::vector<double> times;
  for (const Pair& pair : pairs_) {
    if (pair.of.reference == reference) {
      const slab::TimeGrid& grid = run(pair.of.level).run().time;
      const std::int64_t last = window.times.at(window.index, grid).step;
      for (std::int64_t p = pair.next; p <= last; ++p) {
        times.push_back(grid.time(p));
      }
    }
  }
  if (window.has_field) {
    std::optional<double> time_of_u;
    for (const Comparison& of : plan_.comparisons) {
      const slab::TimeGrid& grid = plan_.runs[of.level].run.time;
      const Moment end = window.times.at(window.index, grid);
      if (of.reference == reference && end.rest == 0) {
        time_of_u = std::max(time_of_u, std::optional(grid.time(end.step)));
      }
    }
    times.push_back(
        time_of_u.value_or(window.times.time(window.index, run(reference).run().time.final_time)));
  }
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  run(reference).go_to(times);
}

void Lockstep::compare_motion(Pair& pair) {
  Trajectory& level = run(pair.of.level);
  const slab::TimeGrid& grid = level.run().time;
  if (file_) {
    for (; pair.next < file_->times().count(); ++pair.next) {
      const Moment moment = file_->times().at(pair.next, grid);
      if (moment.end() > level.reached()) {
        return;
      }
      raise(pair.errors, level.at(moment), file_->at(pair.next));
    }
    return;
  }
  if (!pair.of.reference) {
    return;
  }
  Trajectory& reference = run(*pair.of.reference);
  const slab::TimeGrid& fine = reference.run().time;
  if (reference.goes_to_times()) {
    const std::span<const double> times = reference.times();
    const std::int64_t first = reference.reached() + 1 - std::ssize(times);
    auto time = times.begin();
    for (; pair.next <= level.reached(); ++pair.next) {
      time = std::lower_bound(time, times.end(), grid.time(pair.next));
      if (time == times.end()) {
        return;
      }
      raise(pair.errors, level.at(pair.next), reference.at(first + (time - times.begin())));
    }
    return;
  }
  const std::int64_t stride = fine.steps % grid.steps == 0 ? fine.steps / grid.steps : 0;
  const SampleTimes steps(grid.steps);
  for (; pair.next <= level.reached(); ++pair.next) {
    const Moment there = stride > 0 ? Moment{pair.next * stride, 0.0} : steps.at(pair.next, fine);
    if (there.end() > reference.reached()) {
      return;
    }
    raise(pair.errors, level.at(pair.next), reference.at(there));
  }
}

void Lockstep::compare_fields() {
  std::vector<Field> fields(runs_.size());
  for (std::size_t index = 0; index < runs_.size(); ++index) {
    if (runs_[index] != nullptr) {
      Trajectory& one = run(index);
      fields[index] = one.field_at(plan_.field_times.at(next_field_, one.run().time));
      one.raise_largest_u(largest_entry(fields[index]));
    }
  }
  Field from_file;
  if (file_) {
    from_file.entries = &file_->field(next_field_);
  }
  for (Pair& pair : pairs_) {
    if (file_ || pair.of.reference) {
      pair.field_errors.raise(pair.errors, fields[pair.of.level],
                              file_ ? from_file : fields[*pair.of.reference]);
    }
  }
}

void Lockstep::serialize(engine::Archive& archive) {
  std::vector<double> numbers{static_cast<double>(step_), static_cast<double>(next_field_)};
  for (const Pair& pair : pairs_) {
    const Errors all = archive.restores() ? Errors{} : joined(comm_, pair.errors);
    numbers.insert(numbers.end(),
                   {all.x, all.y, all.u, all.u_cells, static_cast<double>(pair.next)});
  }
  archive.numbers("comparisons", numbers);
  step_ = static_cast<std::int64_t>(numbers[0]);
  next_field_ = static_cast<std::int64_t>(numbers[1]);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const double* const found = numbers.data() + 2 + 5 * i;
    pairs_[i].errors = {found[0], found[1], found[2], found[3]};
    pairs_[i].next = static_cast<std::int64_t>(found[4]);
  }
  for (std::size_t index = 0; index < runs_.size(); ++index) {
    if (runs_[index] != nullptr) {
      NamedArchive own(archive, "run " + std::to_string(index) + " ");
      run(index).serialize(own);
    }
  }
}

void Lockstep::add_to(Outcomes& outcomes) {
  for (const Pair& pair : pairs_) {
    outcomes.errors[pair.index] = joined(comm_, pair.errors);
  }
  for (std::size_t index = 0; index < runs_.size(); ++index) {
    if (runs_[index] != nullptr) {
      RunSummary found = run(index).summary();
      parallel::max_over_ranks(comm_, std::span(&found.largest_u, 1));
      outcomes.runs[index] = found;
      if (plan_.runs[index].form.series) {
        outcomes.series = std::move(run(index)).series();
      }
    }
  }
}

}  // namespace masing::study
