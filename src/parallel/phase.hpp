#pragma once

#include <chrono>
#include <optional>

namespace masing::parallel {

/// What a program's time is spent on; `other` is neither written nor a stage of PETSc's.
enum class Phase { setup, steps, output, seal, other };

/// Wall seconds of this rank. The communication is that of the steps, waiting for others included.
struct PhaseSeconds {
  double setup = 0.0;
  double steps = 0.0;
  double output = 0.0;
  double seal = 0.0;
  double communication = 0.0;
};

/// Counts the time that it lives, less that of timers inside it, as its phase, and shows it as a
/// stage of PETSc's -log_view. One that is in no other begins all counts anew. Local.
class PhaseTimer {
 public:
  /// `seconds`, if given: its life, with all inside, is added to it.
  explicit PhaseTimer(Phase phase, double* seconds = nullptr);
  ~PhaseTimer();
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  std::chrono::steady_clock::time_point begin_;
  double* seconds_;
  std::optional<Phase> before_;
};

/// So far, since the outermost PhaseTimer began. Local.
PhaseSeconds phase_seconds();

/// A message that all ranks come to at every step, an event of PETSc's -log_view. One of 17, a
/// prime, so that it is not the same one of each step, is measured for all: two looks at the clock
/// take as long as a sum through shared memory. Local.
class MessageTimer {
 public:
  MessageTimer();
  ~MessageTimer();
  MessageTimer(const MessageTimer&) = delete;
  MessageTimer& operator=(const MessageTimer&) = delete;

 private:
  bool is_measured_;
  std::chrono::steady_clock::time_point begin_;
};

/// Makes the phases known to PETSc, as Session does when it has started it.
void register_phases();

}  // namespace masing::parallel
