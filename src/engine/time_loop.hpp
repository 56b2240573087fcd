#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "parallel/communicator.hpp"

namespace masing::engine {

/// Where a run starts, and how it is saved.
struct Course {
  /// The step engine and observers have been brought to; nothing: they are at their start.
  std::optional<std::int64_t> resumed;
  Checkpointer* checkpointer = nullptr;  ///< null: the run is not saved
};

/// How many steps the next chunk may have: 16 at first, four times as many as the last one had, up
/// to 4096, and what takes about 0.1 s.
class Pace {
 public:
  static constexpr std::int64_t longest_chunk = 4096;

  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// The last chunk had so many steps.
  void took(std::int64_t steps, double seconds);

 private:
  std::int64_t steps_ = 16;
};

/// Advances an engine by chunks of steps, driven by what drives its run. All must outlive it.
class Stepper {
 public:
  Stepper(const parallel::Communicator& comm, Engine& engine, const RunSpec& run);

  /// The sample of step 0. Collective.
  Samples start();
  /// `count` steps after step `step`, up to Pace::longest_chunk. The root samples F(t) and shares
  /// it, so x and y cannot drift apart between ranks. Throws UserError alike on all ranks where F,
  /// x or y is not finite, with the step. Collective.
  Samples advance(std::int64_t step, std::int64_t count);

 private:
  [[nodiscard]] bool prescribes_position() const;
  void share_force(std::int64_t first, std::int64_t count);
  void require_finite(std::span<const double> values, std::int64_t first, const std::string& what,
                      const char* right) const;

  const parallel::Communicator& comm_;
  Engine& engine_;
  const RunSpec& run_;
  std::vector<double> force_;
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> restoring_;
};

/// Advance `engine` from step 0, or the one where the run is resumed, to step N in chunks of up to
/// 4096 steps and about 0.1 s, and show every chunk to the observers. Throws as Stepper; Stopped
/// alike on all ranks after the chunk in which one of them was asked to stop, the run having been
/// saved. Collective.
void integrate(const parallel::Communicator& comm, Engine& engine, const RunSpec& run,
               std::span<Observer* const> observers, const Course& course = {});

}  // namespace masing::engine
