#pragma once

#include <array>
#include <chrono>
#include <optional>

namespace masing::parallel {

/// The phases into which the time of a program is divided. `rest` is the time that belongs to no
/// other phase; in a study it contains the comparison of fields and the waiting for other ranks.
/// `communication` is the time of the messages that are exchanged at every step; this time is
/// counted a second time in the phase during which it passes.
enum class Phase { setup, steps, output, seal, rest, communication };
inline constexpr std::array phase_names{"setup", "steps", "output",
                                        "seal",  "rest",  "communication"};
/// The wall time of each phase on this rank, in seconds.
using PhaseSeconds = std::array<double, phase_names.size()>;

/// Adds the time between its construction and its destruction to the time of a phase, but without
/// the time of other timers that are constructed in between (inner timers). PETSc's -log_view shows
/// the phase as a stage. A timer that is no inner timer first sets the times of all phases to 0.
/// Local.
class PhaseTimer {
 public:
  /// If `life` is given, the whole lifetime of the timer, in seconds, is added to it.
  explicit PhaseTimer(Phase phase, double* life = nullptr);
  ~PhaseTimer();
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  std::chrono::steady_clock::time_point begin_;
  double* life_;
  std::optional<Phase> before_;
};

/// Returns the times that the outermost PhaseTimer and all its inner timers have counted so far.
/// Local.
PhaseSeconds phase_seconds();

/// Adds the time between its construction and its destruction, in which ranks exchange numbers of
/// one step, to the phase `communication`. PETSc's -log_view shows the message as an event. The
/// timer reads a clock with a resolution of milliseconds: its errors cancel on average, and reading
/// it takes less time than a sum in shared memory. Local.
class MessageTimer {
 public:
  MessageTimer();
  ~MessageTimer();
  MessageTimer(const MessageTimer&) = delete;
  MessageTimer& operator=(const MessageTimer&) = delete;

 private:
  double begin_;
};

/// Registers the phases with PETSc; called by Session after the initialization of PETSc.
void register_phases();

}  // namespace masing::parallel
