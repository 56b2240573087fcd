#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "parallel/communicator.hpp"

namespace masing::engine {

/// Chooses the number of steps of the next chunk: 16 at first, then as many as take about 0.1 s,
/// but at most four times those of the last chunk and at most 4096. It is a multiple of the largest
/// number of steps that one pass over the slab computes.
class Pace {
 public:
  static constexpr std::int64_t longest_chunk = 4096;

  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// Records the steps and the duration of the last chunk.
  void record(std::int64_t steps, double seconds);

 private:
  std::int64_t steps_ = 16;
};

/// Advances an engine by chunks of steps, with the prescribed force or position of its run. All
/// arguments of the constructor must outlive the object.
class Stepper {
 public:
  Stepper(const parallel::Communicator& comm, Engine& engine, const RunSpec& run);

  /// The sample of step 0. Collective.
  Samples start();
  /// Advances an engine that accepts arbitrary times (an exact solution) to these increasing times,
  /// at most most() of them. The samples are numbered from 1 and have no force. Collective.
  Samples advance(std::span<const double> times);
  /// The largest number of steps or times in a chunk.
  [[nodiscard]] std::size_t most() const { return x_.size(); }

  /// Broadcasts the root's `count` and, if it is not negative, the prescribed force or position at
  /// the steps from `step` to step + count, in one message. Only the root evaluates these, so that
  /// x and y are equal on all ranks. `most`: the largest `count`, equal on all ranks. Returns the
  /// root's `count`. Throws UserError on all ranks alike if a value is not finite. Collective.
  std::int64_t share(std::int64_t step, std::int64_t count, std::int64_t most);
  /// Advances from step `step` by the number of steps of the last share(). Throws UserError on all
  /// ranks alike if x or y is not finite. Collective.
  Samples advance(std::int64_t step);

 private:
  void require_finite(std::span<const double> values, std::int64_t first,
                      const base::NamedQuantity& what, const char* right) const;

  const parallel::Communicator& comm_;
  Engine& engine_;
  const RunSpec& run_;
  std::vector<double> times_;
  std::vector<double> message_;    // the count, and F(t_p)
  std::span<const double> force_;  // the part of message_ with F(t_p)
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> restoring_;
};

/// A request to pause before the next chunk of steps, and the answer that the ranks agree on.
enum class Pause : std::int64_t {
  none = 0,   ///< no pause
  save = -1,  ///< save the state, then continue
  stop = -2   ///< save the state and stop
};

/// Advances an engine and shows every chunk of steps to observers: as many steps at once as Pace
/// allows, and no further than the next step at which an observer must see the field. All
/// arguments must outlive the object.
class TimeLoop {
 public:
  TimeLoop(const parallel::Communicator& comm, Engine& engine, const RunSpec& run,
           std::span<Observer* const> observers);

  /// The step that the run has reached. Local.
  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] bool is_done() const { return step_ == run_.time.steps; }
  /// Whether ranks that split the run have to wait for cores: they outnumber the cores of their
  /// host, or this rank had no core in a quarter of the time that its steps took. Local.
  [[nodiscard]] bool waits_for_cores() const;

  /// Advances by one chunk of steps that ends at step `last` at the latest, unless the root
  /// requests a pause, in the same message as F. Returns the root's request on all ranks: if it is
  /// not Pause::none, no step has been computed. Throws as Stepper. Collective.
  Pause advance(std::int64_t last, Pause wish);
  /// Calls Observer::finish of all observers, after step N. Collective.
  void finish();
  /// Saves or restores the step, the observers and the engine. Throws UserError where the step
  /// that is restored is not one of the run. Collective.
  void serialize(Archive& archive);

 private:
  void show(const Samples& samples);

  const parallel::Communicator& comm_;
  Engine& engine_;
  const RunSpec& run_;
  Stepper stepper_;
  std::span<Observer* const> observers_;
  bool has_shown_start_ = false;  // whether the observers have seen step 0
  std::int64_t step_ = 0;
  Pace pace_;
  double seconds_ = 0.0;      // wall time of the steps
  double cpu_seconds_ = 0.0;  // CPU time of the steps
};

}  // namespace masing::engine
