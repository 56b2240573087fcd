#include "engine/time_loop.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/seconds.hpp"
#include "base/text.hpp"
#include "parallel/phase.hpp"
#include "parallel/rank_sum.hpp"

namespace masing::engine {

void Pace::record(std::int64_t steps, double seconds) {
  constexpr double chunk_seconds = 0.1;
  // The largest number of steps that are computed in one pass over the cells of a slab.
  constexpr std::int64_t pass = 2;
  const double fit = seconds > 0 ? chunk_seconds * static_cast<double>(steps) / seconds
                                 : static_cast<double>(longest_chunk);
  // The number of steps grows at most by a factor of 4 from chunk to chunk, so that one chunk that
  // happened to be fast does not make the next one far too long.
  steps_ = std::min({static_cast<std::int64_t>(std::min(fit, 1e9)), longest_chunk, 4 * steps});
  steps_ = std::max(pass, steps_ - steps_ % pass);
}

Stepper::Stepper(const parallel::Communicator& comm, Engine& engine, const RunSpec& run)
    : comm_(comm), engine_(engine), run_(run), drives_(run.drives.size()) {
  const auto most = static_cast<std::size_t>(std::min(Pace::longest_chunk, run.time.steps));
  times_.resize(most);
  message_.resize(1 + drives_.size() * (most + 1));
  x_.resize(most);
  y_.resize(most);
  restoring_.resize(most);
}

Motion Stepper::start() {
  share(0, 0, 0);
  const Sample start = engine_.start();
  x_[0] = start.x;
  y_[0] = start.y;
  restoring_[0] = start.restoring;
  return {.first_step = 0,
          .force = run_.gives_position ? std::span(restoring_).first(1) : drives_.front(),
          .x = std::span(x_).first(1),
          .y = std::span(y_).first(1),
          .restoring = std::span(restoring_).first(1)};
}

std::int64_t Stepper::share(std::int64_t step, std::int64_t count, std::int64_t most) {
  const auto room = static_cast<std::size_t>(most + 1);  // for the values of one drive
  const auto message = std::span(message_).first(1 + drives_.size() * room);
  const auto values_of = [&](std::size_t drive) {
    const auto values = static_cast<std::size_t>(std::max<std::int64_t>(0, count + 1));
    return message.subspan(1 + drive * room, values);
  };
  if (comm_.is_root()) {
    message[0] = static_cast<double>(count);
    for (std::size_t d = 0; d < drives_.size(); ++d) {
      for (std::int64_t i = 0; double& value : values_of(d)) {
        value = run_.drives[d].of_t(run_.time.time(step + i++));
      }
    }
  }
  parallel::broadcast(comm_, message);
  count = static_cast<std::int64_t>(message[0]);
  for (std::size_t d = 0; d < drives_.size(); ++d) {
    drives_[d] = values_of(d);
    require_finite(drives_[d], step, run_.drives[d].name, base::NamedQuantity::finite);
  }
  return count;
}

void Stepper::require_finite(std::span<const double> values, std::int64_t first,
                             const base::NamedQuantity& what, const char* right) const {
  const auto bad = std::ranges::find_if_not(values, [](double v) { return std::isfinite(v); });
  if (bad != values.end()) {
    const std::int64_t step = first + (bad - values.begin());
    throw what.fault(
        *bad, fmt::format("step {} (t = {})", step, base::to_text(run_.time.time(step))), right);
  }
}

Motion Stepper::advance(std::int64_t step) {
  const std::size_t size = drives_.front().size() - 1;
  for (std::size_t i = 0; i < size; ++i) {
    times_[i] = run_.time.time(step + 1 + static_cast<std::int64_t>(i));
  }
  const slab::Chunk chunk{.first = step,
                          .times = std::span(times_).first(size),
                          .force = drives_.front(),
                          .base = drives_.size() > 1 ? drives_[1] : std::span<const double>(),
                          .x = std::span(x_).first(size),
                          .y = std::span(y_).first(size),
                          .restoring = std::span(restoring_).first(size)};
  engine_.advance(chunk);
  const char* const smaller = "the step is too large: give more";
  require_finite(chunk.x, step + 1, {"steps", "x"}, smaller);
  require_finite(chunk.y, step + 1, {"steps", "y"}, smaller);
  return {.first_step = step + 1,
          .force = run_.gives_position ? chunk.restoring : chunk.force.subspan(1),
          .x = chunk.x,
          .y = chunk.y,
          .restoring = chunk.restoring};
}

Motion Stepper::advance(std::span<const double> times) {
  const std::size_t size = times.size();
  const slab::Chunk chunk{.times = times,
                          .force = {},
                          .x = std::span(x_).first(size),
                          .y = std::span(y_).first(size),
                          .restoring = std::span(restoring_).first(size)};
  engine_.advance(chunk);
  return {.first_step = 1, .force = {}, .x = chunk.x, .y = chunk.y, .restoring = chunk.restoring};
}

TimeLoop::TimeLoop(const parallel::Communicator& comm, Engine& engine, const RunSpec& run,
                   std::span<Observer* const> observers)
    : engine_(engine), run_(run), stepper_(comm, engine, run), observers_(observers) {}

void TimeLoop::show(const Motion& motion) {
  const parallel::PhaseTimer timer(parallel::Phase::output);
  for (Observer* observer : observers_) {
    observer->observe(motion, engine_);
  }
}

Pause TimeLoop::advance(std::int64_t last, Pause wish) {
  if (!std::exchange(has_shown_start_, true)) {
    show(stepper_.start());
  }
  std::int64_t most = std::min({last, run_.time.steps, step_ + Pace::longest_chunk}) - step_;
  for (const Observer* observer : observers_) {
    most = std::min(most, observer->next_state_step(step_) - step_);
  }
  const std::int64_t count = stepper_.share(
      step_, wish == Pause::none ? std::min(most, pace_.steps()) : static_cast<std::int64_t>(wish),
      most);
  if (count < 0) {
    return static_cast<Pause>(count);
  }
  const double begin = base::seconds_now();
  show(stepper_.advance(step_));
  pace_.record(count, base::seconds_now() - begin);
  step_ += count;
  return Pause::none;
}

void TimeLoop::finish() {
  const parallel::PhaseTimer timer(parallel::Phase::output);
  for (Observer* observer : observers_) {
    observer->finish(engine_);
  }
}

void TimeLoop::serialize(Archive& archive) {
  archive.begin("loop");
  archive.scalars("step", step_, has_shown_start_);
  if (step_ < 0 || step_ > run_.time.steps) {
    throw base::UserError(fmt::format("step {} is not in 0..{}", step_, run_.time.steps));
  }
  for (std::size_t i = 0; i < observers_.size(); ++i) {
    archive.begin("observer " + std::to_string(i));
    observers_[i]->serialize(step_, archive);
  }
  archive.begin("engine");
  engine_.serialize(archive);
}

}  // namespace masing::engine
