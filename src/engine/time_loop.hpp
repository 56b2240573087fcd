#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "parallel/communicator.hpp"

namespace masing::engine {

/// How many steps the next chunk may have: 16 at first, four times as many as the last one had, up
/// to 4096, and what takes about 0.1 s, in whole passes over the slab and at least one.
class Pace {
 public:
  static constexpr std::int64_t longest_chunk = 4096;

  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// Records the steps and the duration of the last chunk.
  void record(std::int64_t steps, double seconds);

 private:
  std::int64_t steps_ = 16;
};

/// Advances an engine by chunks of steps, driven by what drives its run. All must outlive it.
class Stepper {
 public:
  Stepper(const parallel::Communicator& comm, Engine& engine, const RunSpec& run);

  /// The sample of step 0. Collective.
  Samples start();
  /// `count` steps after step `step`, up to Pace::longest_chunk: share, then advance. Collective.
  Samples advance(std::int64_t step, std::int64_t count);
  /// Of an engine that goes to any times: to these, most() at most, which increase. The samples are
  /// counted from 1 and have no force. Collective.
  Samples advance(std::span<const double> times);
  /// The longest chunk.
  [[nodiscard]] std::size_t most() const { return x_.size(); }

  /// The root's `count`, at most `most`, on every rank, and where it is not negative what drives
  /// the steps to step + count: sampled by the root, so x and y cannot drift apart between ranks.
  /// One message. Throws UserError alike on all ranks where F is not finite, with the step.
  /// Collective.
  std::int64_t share(std::int64_t step, std::int64_t count, std::int64_t most);
  /// As many steps after step `step` as were shared. Throws UserError alike on all ranks where x or
  /// y is not finite, with the step. Collective.
  Samples advance(std::int64_t step);

 private:
  void require_finite(std::span<const double> values, std::int64_t first,
                      const base::NamedQuantity& what, const char* right) const;

  const parallel::Communicator& comm_;
  Engine& engine_;
  const RunSpec& run_;
  std::vector<double> times_;
  std::vector<double> message_;    // the count, and F(t_p)
  std::span<const double> force_;  // F(t_p) of the chunk, in it
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> restoring_;
};

/// Advances an engine and shows every chunk of steps to observers: as many steps at once as Pace
/// says, and no further than an observer wants to see the field. All must outlive it.
class TimeLoop {
 public:
  using Clock = std::chrono::steady_clock;

  /// `resumed`: the step engine and observers have been brought to; nothing: they are at their
  /// start.
  TimeLoop(const parallel::Communicator& comm, Engine& engine, const RunSpec& run,
           std::span<Observer* const> observers, std::optional<std::int64_t> resumed = {});

  /// Why it has paused.
  enum class Pause { reached, due, stopped };

  /// The step the run is at. Local.
  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] bool is_done() const { return step_ == run_.time.steps; }
  /// Whether ranks outnumber the cores, or this one had none in a quarter of the time that its
  /// steps took: others use it. Of a run that ranks split. Local.
  [[nodiscard]] bool waits_for_cores() const;

  /// Advance to step `end`, N at most, unless before a chunk the root's clock has passed `due`, or
  /// a rank is asked to stop; the same on every rank. Throws as Stepper. Collective.
  Pause advance(std::int64_t end, Clock::time_point due);
  /// Has the observers write what they keep, after step N. Collective.
  void finish();
  /// Throws Stopped, which says where the run is and why it stops. Collective.
  [[noreturn]] void stop() const;

 private:
  void show(const Samples& samples);

  const parallel::Communicator& comm_;
  Engine& engine_;
  const RunSpec& run_;
  Stepper stepper_;
  std::span<Observer* const> observers_;
  bool is_at_start_;  // nothing has been shown
  std::int64_t step_;
  Pace pace_;
  double seconds_ = 0.0;      // of steps
  double cpu_seconds_ = 0.0;  // of these
};

/// Advance `engine` from step 0, or where it has been brought to, to step N and show every chunk to
/// the observers. Throws as Stepper; Stopped alike on all ranks after the chunk in which one of
/// them was asked to stop. Collective.
void integrate(const parallel::Communicator& comm, Engine& engine, const RunSpec& run,
               std::span<Observer* const> observers, std::optional<std::int64_t> resumed = {});

}  // namespace masing::engine
