#pragma once

#include <array>
#include <chrono>
#include <optional>

namespace masing::parallel {

/// What a program's time is spent on. The rest is what is no other phase: in a study the comparison
/// of fields, and waiting for other ranks. Communication, at every step, is a part of the others.
enum class Phase { setup, steps, output, seal, rest, communication };
inline constexpr std::array phase_names{"setup", "steps", "output",
                                        "seal",  "rest",  "communication"};
/// Wall seconds of each phase on this rank.
using PhaseSeconds = std::array<double, phase_names.size()>;

/// Counts the time that it lives, less that of timers inside it, as its phase, and shows it as a
/// stage of PETSc's -log_view. One that is in no other begins all counts anew. Local.
class PhaseTimer {
 public:
  /// `life`, if given: a number of seconds to which all of its life is added.
  explicit PhaseTimer(Phase phase, double* life = nullptr);
  ~PhaseTimer();
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  std::chrono::steady_clock::time_point begin_;
  double* life_;
  std::optional<Phase> before_;
};

/// What the outermost PhaseTimer and those in it have counted so far. Local.
PhaseSeconds phase_seconds();

/// A message at every step, an event of -log_view. A clock that goes in steps of milliseconds is
/// right in the mean, and takes less time than a sum in shared memory. Local.
class MessageTimer {
 public:
  MessageTimer();
  ~MessageTimer();
  MessageTimer(const MessageTimer&) = delete;
  MessageTimer& operator=(const MessageTimer&) = delete;

 private:
  double begin_;
};

/// Tells PETSc, when Session has started it, of the phases.
void register_phases();

}  // namespace masing::parallel
