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

/// What a rank wants in place of the next chunk of steps, or of the next window of a work.
enum class Pause : std::int64_t {
  none = 0,   ///< nothing: it goes on
  save = -1,  ///< that the state is saved
  stop = -2   ///< that the state is saved and the program ends
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

  /// Advances by one chunk of steps that ends at step `last` at the latest, unless the root wishes
  /// a pause. The wish travels in the message that carries F. Returns the root's wish; where it is
  /// not Pause::none, no step has been made. Throws as Stepper. Collective.
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
  bool has_shown_start_ = false;  // step 0, to the observers
  std::int64_t step_ = 0;
  Pace pace_;
  double seconds_ = 0.0;      // of steps
  double cpu_seconds_ = 0.0;  // of these
};

/// Advances `engine` from step 0 to step N and shows every chunk to the observers. Requests to
/// stop are not looked for. Throws as Stepper. Collective.
void integrate(const parallel::Communicator& comm, Engine& engine, const RunSpec& run,
               std::span<Observer* const> observers);

}  // namespace masing::engine
