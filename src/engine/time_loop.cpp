#include "engine/time_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "parallel/session.hpp"

namespace masing::engine {

void Pace::took(std::int64_t steps, double seconds) {
  constexpr double chunk_seconds = 0.1;
  const double fit = seconds > 0 ? chunk_seconds * static_cast<double>(steps) / seconds
                                 : static_cast<double>(longest_chunk);
  // Grow by at most 4, so that one quick chunk of a slow run does not make the next one long.
  steps_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::min(fit, 1e9)), 1,
                                    std::min(longest_chunk, 4 * steps));
}

Stepper::Stepper(const parallel::Communicator& comm, Engine& engine, const RunSpec& run)
    : comm_(comm), engine_(engine), run_(run) {
  const auto most = static_cast<std::size_t>(std::min(Pace::longest_chunk, run.time.steps));
  force_.resize(most + 1);
  x_.resize(most);
  y_.resize(most);
  restoring_.resize(most);
}

Samples Stepper::start() {
  share_force(0, 0);
  const Sample start = engine_.sample();
  x_[0] = start.x;
  y_[0] = start.y;
  restoring_[0] = start.restoring;
  return {.first_step = 0,
          .force = std::span(prescribes_position() ? restoring_ : force_).first(1),
          .x = std::span(x_).first(1),
          .y = std::span(y_).first(1),
          .restoring = std::span(restoring_).first(1)};
}

bool Stepper::prescribes_position() const {
  const auto* model = std::get_if<QuasistaticMasing>(&run_.model);
  return model != nullptr && model->driving == Driving::position;
}

/// F(t_p), p = first..first+count, on every rank.
void Stepper::share_force(std::int64_t first, std::int64_t count) {
  const auto force = std::span(force_).first(static_cast<std::size_t>(count + 1));
  if (comm_.is_root()) {
    for (std::int64_t i = 0; i <= count; ++i) {
      force[static_cast<std::size_t>(i)] = run_.drive(run_.time.time(first + i));
    }
  }
  parallel::broadcast(comm_, force);
  require_finite(force, first, drive_name(run_), "it must be finite on [0, T]");
}

void Stepper::require_finite(std::span<const double> values, std::int64_t first,
                             const std::string& what, const char* right) const {
  const auto bad = std::ranges::find_if_not(values, [](double v) { return std::isfinite(v); });
  if (bad != values.end()) {
    const std::int64_t step = first + (bad - values.begin());
    throw base::UserError(what + " = " + base::to_text(*bad) + " at step " + base::to_text(step) +
                          " (t = " + base::to_text(run_.time.time(step)) + "); " + right);
  }
}

Samples Stepper::advance(std::int64_t step, std::int64_t count) {
  share_force(step, count);
  const auto size = static_cast<std::size_t>(count);
  const slab::Chunk chunk{.first = step,
                          .force = std::span(force_).first(size + 1),
                          .x = std::span(x_).first(size),
                          .y = std::span(y_).first(size),
                          .restoring = std::span(restoring_).first(size)};
  engine_.advance(chunk);
  const char* const smaller = "the step is too large: give more --steps";
  require_finite(chunk.x, step + 1, "x", smaller);
  require_finite(chunk.y, step + 1, "y", smaller);
  return {.first_step = step + 1,
          .force = prescribes_position() ? chunk.restoring : chunk.force.subspan(1),
          .x = chunk.x,
          .y = chunk.y,
          .restoring = chunk.restoring};
}

namespace {

class TimeLoop {
 public:
  TimeLoop(const parallel::Communicator& comm, Engine& engine, const RunSpec& run,
           std::span<Observer* const> observers, const Course& course)
      : comm_(comm),
        engine_(engine),
        time_(run.time),
        stepper_(comm, engine, run),
        observers_(observers),
        course_(course) {}

  void run() {
    std::int64_t step = course_.resumed.value_or(0);
    if (!course_.resumed) {
      show(stepper_.start());
    }
    while (step < time_.steps) {
      const std::int64_t count = agreed(step);
      const auto begin = std::chrono::steady_clock::now();
      show(stepper_.advance(step, count));
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      pace_.took(count, seconds.count());
      step += count;
      if (step == end_of_checkpoint(step - count)) {
        save(step);
      }
    }
    for (Observer* observer : observers_) {
      observer->finish();
    }
  }

 private:
  [[nodiscard]] std::int64_t end_of_checkpoint(std::int64_t step) const {
    return course_.checkpointer == nullptr ? never : course_.checkpointer->next_step(step);
  }

  void save(std::int64_t step) {
    if (course_.checkpointer != nullptr && saved_ != step) {
      course_.checkpointer->write(step);
      saved_ = step;
    }
  }

  [[nodiscard]] std::int64_t end_of_chunk(std::int64_t step) const {
    std::int64_t end = std::min(time_.steps, end_of_checkpoint(step));
    for (const Observer* observer : observers_) {
      end = std::min(end, observer->next_field_step(step));
    }
    return end;
  }

  /// The steps of the next chunk: the root's choice, made from its own clock, for all, unless one
  /// of them has been asked to stop. One reduction says that, too, and whether to save first.
  std::int64_t agreed(std::int64_t step) {
    constexpr std::int64_t stop = 0;
    std::int64_t wish = never;
    if (comm_.is_root()) {
      const bool due = course_.checkpointer != nullptr && course_.checkpointer->is_due();
      wish = 2 * (std::min(end_of_chunk(step), step + pace_.steps()) - step) + (due ? 1 : 0);
    }
    wish = parallel::min_over_ranks(comm_, parallel::stop_requested() ? stop : wish);
    if (wish == stop) {
      save(step);
      throw base::Stopped("stopped " + parallel::stop_reason(comm_) + " after step " +
                          base::to_text(step) + " of " + base::to_text(time_.steps));
    }
    if (wish % 2 != 0) {
      save(step);
    }
    return wish / 2;
  }

  void show(const Samples& samples) {
    for (Observer* observer : observers_) {
      observer->observe(samples, engine_);
    }
  }

  const parallel::Communicator& comm_;
  Engine& engine_;
  const slab::TimeGrid& time_;
  Stepper stepper_;
  std::span<Observer* const> observers_;
  Course course_;
  std::int64_t saved_ = -1;  // the step last saved
  Pace pace_;
};

}  // namespace

void integrate(const parallel::Communicator& comm, Engine& engine, const RunSpec& run,
               std::span<Observer* const> observers, const Course& course) {
  TimeLoop(comm, engine, run, observers, course).run();
}

}  // namespace masing::engine
