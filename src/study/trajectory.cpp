#include "study/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/partition.hpp"
#include "parallel/phase.hpp"

namespace masing::study {

using parallel::Phase;
using parallel::PhaseTimer;

StepTime SampleTimes::at(std::int64_t i, const slab::TimeGrid& grid) const {
  if (grid.steps % intervals_ == 0) {
    return {i * (grid.steps / intervals_), 0.0};
  }
  const base::Wide product = static_cast<base::Wide>(i) * grid.steps;
  const auto left = static_cast<std::int64_t>(product % intervals_);
  return {static_cast<std::int64_t>(product / intervals_),
          static_cast<double>(left) / static_cast<double>(intervals_)};
}

Trajectory::Trajectory(const parallel::Communicator& comm, const engine::RunSpec& run,
                       const RunOptions& options, double available)
    : comm_(comm),
      run_(run),
      options_(options),
      setup_([&] {
        const PhaseTimer timer(Phase::setup, &summary_.seconds);
        return engine::make_setup(comm, run, available);
      }()),
      stepper_(comm, *setup_.engine, run) {
  if (options.series) {
    series_.emplace(*options.series);
  }
  keep(stepper_.start());
  times_ = {0.0};
}

void Trajectory::keep(const engine::Motion& motion) {
  for (std::size_t i = 0; i < motion.x.size(); ++i) {
    summary_.end = samples_.emplace_back(Point{motion.x[i], motion.y[i]});
    summary_.largest = {std::max(summary_.largest.x, std::abs(motion.x[i])),
                        std::max(summary_.largest.y, std::abs(motion.y[i]))};
  }
  if (series_) {
    series_->observe(motion, *setup_.engine);
  }
}

void Trajectory::advance_to(std::int64_t step) {
  while (reached_ < step) {
    const std::int64_t count = std::min(step - reached_, engine::Pace::longest_chunk);
    stepper_.share(reached_, count, count);
    keep(stepper_.advance(reached_));
    reached_ += count;
  }
}

/// Allocates the vectors for u at a step and between two steps, unless this is already done. They
/// are distributed over the ranks like the field of the engine.
void Trajectory::make_entries() {
  if (!kept_entries_) {
    const parallel::Vector& u = setup_.engine->state();
    kept_entries_.emplace(comm_, u.size(), u.range());
    between_.emplace(comm_, u.size(), u.range());
  }
}

void Trajectory::forget_window() {
  // The next window begins between the last two steps. A time between these steps may still have to
  // be compared, and the interpolation needs x and y at both steps.
  const std::size_t kept = std::min<std::size_t>(2, samples_.size());
  first_ = reached_ + 1 - static_cast<std::int64_t>(kept);
  samples_.erase(samples_.begin(), samples_.end() - static_cast<std::ptrdiff_t>(kept));
}

void Trajectory::go_to(const StepTime& end, const StepTime& field) {
  const PhaseTimer timer(Phase::steps, &summary_.seconds);
  forget_window();
  if (field.fraction > 0 && field.step < end.end() && kept_step_ != field.step) {
    advance_to(field.step);
    kept_step_ = reached_;
    if (options_.has_function_field) {
      kept_function_ = *setup_.engine->elongation();
    } else {
      make_entries();
      std::ranges::copy(setup_.engine->state().values(), kept_entries_->values().begin());
    }
  }
  advance_to(end.end());
}

void Trajectory::go_to(std::span<const double> times) {
  const PhaseTimer timer(Phase::steps, &summary_.seconds);
  first_ = reached_ + 1;
  samples_.clear();
  times_.assign(times.begin(), times.end());
  while (!times.empty()) {
    const auto count = std::min(times.size(), stepper_.most());
    keep(stepper_.advance(times.first(count)));
    times = times.subspan(count);
  }
  reached_ += std::ssize(times_);
}

std::optional<Point> Trajectory::at_time(double time) const {
  const auto sample_time = std::ranges::lower_bound(times_, time);
  return sample_time == times_.end()
             ? std::nullopt
             : std::optional(samples_[static_cast<std::size_t>(sample_time - times_.begin())]);
}

std::optional<Point> Trajectory::at(const StepTime& time) const {
  if (time.end() > reached_) {
    return std::nullopt;
  }
  const Point& before = samples_[time.step - first_];
  const Point& after = samples_[time.end() - first_];
  return Point{std::lerp(before.x, after.x, time.fraction),
               std::lerp(before.y, after.y, time.fraction)};
}

Field Trajectory::field_at(const StepTime& time) {
  const PhaseTimer timer(Phase::steps, &summary_.seconds);
  const bool is_between = time.fraction > 0 && !options_.goes_to_times;
  if (options_.has_function_field) {
    const slab::RememberedElongation now = *setup_.engine->elongation();
    return {.function = is_between ? ContinuousField{now, kept_function_, time.fraction}
                                   : ContinuousField{.after = now}};
  }
  const parallel::Vector* u = &setup_.engine->state();
  if (is_between) {
    std::ranges::transform(kept_entries_->values(), u->values(), between_->values().begin(),
                           [r = time.fraction](double before, double after) {
                             return (1.0 - r) * before + r * after;
                           });
    u = &*between_;
  }
  for (const double value : u->values()) {
    summary_.largest_u = std::max(summary_.largest_u, std::abs(value));
  }
  return {.entries = u};
}

void Trajectory::serialize(engine::Archive& archive) {
  if (archive.restores()) {
    samples_.clear();
  } else {
    forget_window();
  }
  RunSummary& s = summary_;
  parallel::max_over_ranks(comm_, std::span(&s.largest_u, 1));
  archive.scalars("run", reached_, first_, kept_step_, s.largest.x, s.largest.y, s.largest_u,
                  s.end.x, s.end.y, s.seconds);
  archive.structs("samples", samples_);
  if (kept_step_ >= 0) {
    if (options_.has_function_field) {
      slab::RememberedElongation& u = kept_function_;
      archive.scalars("kept u", u.x0, u.x, u.direction, u.highest, u.lowest);
      archive.structs("kept legs", u.legs);
    } else {
      make_entries();
      archive.split("kept u", *kept_entries_);
    }
  }
  if (series_) {
    if (archive.restores()) {
      series_.emplace(*options_.series);
    }
    series_->serialize(reached_, archive);
  }
  setup_.engine->serialize(archive);
}

std::vector<double> Trajectory::series() && {
  return series_ ? std::move(*series_).rows() : std::vector<double>();
}

}  // namespace masing::study
