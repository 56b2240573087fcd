#include "study/trajectory.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "slab/turning_points/turning_points.hpp"

namespace masing::study {

namespace {

/// Adds the time that it lives to a number of seconds.
class Timer {
 public:
  explicit Timer(double& seconds) : seconds_(seconds) {}
  ~Timer() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

engine::Setup timed_setup(const parallel::Communicator& comm, const engine::RunSpec& run,
                          const engine::MemoryBudget& budget, double& seconds) {
  const Timer timer(seconds);
  return engine::make_setup(comm, run, budget);
}

/// Save a function, or get it back. Collective.
void serialize_function(engine::Archive& archive, const std::string& name,
                        slab::RememberedElongation& u) {
  std::vector<double> numbers;
  if (!archive.restores()) {
    numbers = {u.x0, u.x, static_cast<double>(u.direction), u.highest, u.lowest};
    for (const auto& leg : u.legs) {
      numbers.insert(numbers.end(), {leg.position, leg.meeting});
    }
  }
  archive.numbers(name, numbers);
  u = {numbers.at(0), numbers.at(1), static_cast<int>(numbers[2]),
       numbers.at(3), numbers.at(4), {}};
  for (std::size_t i = 5; i + 1 < numbers.size(); i += 2) {
    u.legs.push_back({numbers[i], numbers[i + 1]});
  }
}

/// target = (1 - rest) before + rest after, of one layout. Local.
void set_between(parallel::Vector& target, const parallel::Vector& before,
                 const parallel::Vector& after, double rest) {
  const std::span<double> values = target.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = (1.0 - rest) * before.values()[i] + rest * after.values()[i];
  }
}

}  // namespace

void ContinuousField::add(double weight, slab::RememberedElongation elongation) {
  parts_.push_back({weight, std::move(elongation)});
}

double ContinuousField::operator()(const slab::Element& cell) const {
  double u = 0.0;
  for (const auto& [weight, elongation] : parts_) {
    u += weight * elongation(cell);
  }
  return u;
}

Trajectory::Trajectory(const parallel::Communicator& comm, const engine::RunSpec& run,
                       const RunForm& form, const engine::MemoryBudget& budget)
    : comm_(comm),
      run_(run),
      form_(form),
      setup_(timed_setup(comm, run, budget, summary_.seconds)),
      stepper_(comm, *setup_.engine, run) {
  if (form.series) {
    series_.emplace(*form.series);
  }
  keep(stepper_.start());
  times_ = {0.0};
}

void Trajectory::keep(const engine::Samples& samples) {
  x_.insert(x_.end(), samples.x.begin(), samples.x.end());
  y_.insert(y_.end(), samples.y.begin(), samples.y.end());
  for (std::size_t i = 0; i < samples.x.size(); ++i) {
    summary_.largest = {std::max(summary_.largest.x, std::abs(samples.x[i])),
                        std::max(summary_.largest.y, std::abs(samples.y[i]))};
  }
  summary_.end = {x_.back(), y_.back()};
  if (series_) {
    series_->observe(samples, *setup_.engine);
  }
}

void Trajectory::advance_to(std::int64_t step) {
  while (reached_ < step) {
    const std::int64_t count = std::min(step - reached_, engine::Pace::longest_chunk);
    keep(stepper_.advance(reached_, count));
    reached_ += count;
  }
}

/// Vectors with the entries that the engine's has on each rank.
void Trajectory::make_entries() {
  if (!kept_entries_) {
    const parallel::Vector& u = setup_.engine->field();
    kept_entries_.emplace(comm_, u.size(), u.range());
    between_.emplace(comm_, u.size(), u.range());
  }
}

void Trajectory::keep_field() {
  kept_step_ = reached_;
  if (form_.has_function_field) {
    kept_function_ = *setup_.engine->elongation();
    return;
  }
  make_entries();
  set_between(*kept_entries_, setup_.engine->field(), setup_.engine->field(), 0.0);
}

void Trajectory::forget_window() {
  // What is compared at times after this window's begin needs the step before it, and the one
  // after.
  const std::size_t kept = std::min<std::size_t>(2, x_.size());
  first_ = reached_ + 1 - static_cast<std::int64_t>(kept);
  x_.erase(x_.begin(), x_.end() - static_cast<std::ptrdiff_t>(kept));
  y_.erase(y_.begin(), y_.end() - static_cast<std::ptrdiff_t>(kept));
}

void Trajectory::go_to(const Moment& end, const Moment& field) {
  const Timer timer(summary_.seconds);
  forget_window();
  if (field.rest > 0 && field.step < end.end() && kept_step_ != field.step) {
    advance_to(field.step);
    keep_field();
  }
  advance_to(end.end());
}

void Trajectory::go_to(std::span<const double> times) {
  const Timer timer(summary_.seconds);
  first_ = reached_ + 1;
  x_.clear();
  y_.clear();
  times_.assign(times.begin(), times.end());
  while (!times.empty()) {
    const auto count = std::min(times.size(), stepper_.most());
    keep(stepper_.advance(times.first(count)));
    times = times.subspan(count);
  }
  reached_ += std::ssize(times_);
}

PhasePoint Trajectory::at(const Moment& moment) const {
  const PhasePoint before = at(moment.step);
  if (moment.rest == 0) {
    return before;
  }
  const PhasePoint after = at(moment.step + 1);
  return {std::lerp(before.x, after.x, moment.rest), std::lerp(before.y, after.y, moment.rest)};
}

Field Trajectory::field_at(const Moment& moment) {
  const Timer timer(summary_.seconds);
  const double rest = form_.goes_to_times ? 0.0 : moment.rest;
  Field field;
  if (form_.has_function_field) {
    if (rest > 0) {
      field.function.add(1.0 - rest, kept_function_);
    }
    field.function.add(rest > 0 ? rest : 1.0, *setup_.engine->elongation());
  } else if (rest > 0) {
    set_between(*between_, *kept_entries_, setup_.engine->field(), rest);
    field.entries = &*between_;
  } else {
    field.entries = &setup_.engine->field();
  }
  return field;
}

void Trajectory::serialize(engine::Archive& archive) {
  if (!archive.restores()) {
    forget_window();
  }
  RunSummary& s = summary_;
  parallel::max_over_ranks(comm_, std::span(&s.largest_u, 1));
  archive.scalars("run", reached_, first_, kept_step_, s.largest.x, s.largest.y, s.largest_u,
                  s.end.x, s.end.y, s.seconds);
  for (auto [what, samples] : {std::pair{"x", &x_}, std::pair{"y", &y_}}) {
    if (archive.restores()) {
      samples->clear();
    }
    archive.numbers(what, *samples);
  }
  if (kept_step_ >= 0) {
    if (form_.has_function_field) {
      serialize_function(archive, "kept u", kept_function_);
    } else {
      make_entries();
      archive.split("kept u", *kept_entries_);
    }
  }
  if (series_) {
    if (archive.restores()) {
      series_.emplace(*form_.series);
    }
    series_->serialize(reached_, archive);
  }
  setup_.engine->serialize(reached_, archive);
}

RunSummary Trajectory::summary() const {
  RunSummary found = summary_;
  found.self_check = setup_.engine->self_check();
  return found;
}

std::vector<double> Trajectory::series() && {
  return series_ ? std::move(*series_).rows() : std::vector<double>();
}

}  // namespace masing::study
