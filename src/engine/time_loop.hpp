#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/model.hpp"
#include "parallel/communicator.hpp"

namespace masing::engine {

/// Chooses the number of steps of the next chunk: 16 at first, and then as many as take about 0.1
/// s. It is at most four times the number of the chunk before, and at most 4096. It is a multiple
/// of 2, because one pass over the cells of a slab may compute two steps.
class Pace {
 public:
  static constexpr std::int64_t longest_chunk = 4096;

  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// Records the steps and the duration of the last chunk.
  void record(std::int64_t steps, double seconds);

 private:
  std::int64_t steps_ = 16;
};

/// Advances an engine by chunks of steps, with the functions of time that drive the run.
/// TimeLoop and the runs of studies use this class. All arguments of the constructor must outlive
/// the object.
class Stepper {
 public:
  Stepper(const parallel::Communicator& comm, Engine& engine, const RunSpec& run);

  /// Returns the sample of step 0. Collective.
  Motion start();
  /// Advances the engine through `times`; the engine must accept arbitrary times, as an exact
  /// solution does. The times must increase, and there must be at most most() of them. The returned
  /// samples are numbered 1, 2, …, like steps, and have no forces. Collective.
  Motion advance(std::span<const double> times);
  /// Returns the largest number of steps or times that one call of advance() can compute.
  [[nodiscard]] std::size_t most() const { return x_.size(); }

  /// Broadcasts the root's `count`, and returns it on every rank. If `count` is not negative, the
  /// same message contains RunSpec::drives at the steps from `step` to step + count. Only the root
  /// evaluates these functions, so that x and y are equal on all ranks.
  /// `most` must be an upper bound of `count` and the same on all ranks. Throws UserError on all
  /// ranks alike if a value is not finite. Collective.
  std::int64_t share(std::int64_t step, std::int64_t count, std::int64_t most);
  /// Advances from step `step` by the number of steps that the last call of share() returned.
  /// Throws UserError on all ranks alike if x or y is not finite. Collective.
  Motion advance(std::int64_t step);

 private:
  void require_finite(std::span<const double> values, std::int64_t first,
                      const base::NamedQuantity& what, const char* right) const;

  const parallel::Communicator& comm_;
  Engine& engine_;
  const RunSpec& run_;
  std::vector<double> times_;
  std::vector<double> message_;  // the count, then the values of each drive at the steps
  // the parts of message_ with the values of each drive
  std::vector<std::span<const double>> drives_;
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> restoring_;
};

/// Whether a run is to pause before the next chunk of steps. The root decides this and broadcasts
/// it to all ranks.
enum class Pause : std::int64_t {
  none = 0,   ///< no pause
  save = -1,  ///< save the state, then continue
  stop = -2   ///< save the state and stop
};

/// Advances an engine by chunks of steps and passes every chunk to the observers. A chunk has as
/// many steps as Pace allows, but ends at the latest at the next step at which an observer needs
/// the state. All arguments of the constructor must outlive the object.
class TimeLoop {
 public:
  TimeLoop(const parallel::Communicator& comm, Engine& engine, const RunSpec& run,
           std::span<Observer* const> observers);

  /// Returns the step that the run has reached. Local.
  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] bool is_done() const { return step_ == run_.time.steps; }

  /// Advances by one chunk of steps that ends at step `last` at the latest, unless the `wish` of
  /// the root is a pause. The root broadcasts its wish in the same message as the prescribed
  /// values. Returns the root's wish on all ranks; if it is not Pause::none, no step has been
  /// computed. Throws UserError on all ranks alike if the prescribed force or position, x or y is
  /// not finite. Collective.
  Pause advance(std::int64_t last, Pause wish);
  /// Calls Observer::finish() of all observers. Must be called after step N. Collective.
  void finish();
  /// Saves or restores the step, the observers and the engine. Throws UserError if the restored
  /// step is not a step of the run. Collective.
  void serialize(Archive& archive);

 private:
  void show(const Motion& motion);

  Engine& engine_;
  const RunSpec& run_;
  Stepper stepper_;
  std::span<Observer* const> observers_;
  bool has_shown_start_ = false;  // whether step 0 was passed to the observers
  std::int64_t step_ = 0;
  Pace pace_;
};

}  // namespace masing::engine
