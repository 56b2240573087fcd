#pragma once

#include <array>
#include <optional>

namespace masing::parallel {

/// The phases into which the time of a command is divided. `rest` is the time that belongs to no
/// other phase; in a study it contains the comparison of fields and the waiting for other ranks.
/// `communication` is the time of the messages that are exchanged at every step. This time is also
/// contained in the time of another phase, usually `steps`.
enum class Phase { setup, steps, output, seal, rest, communication };
inline constexpr std::array phase_names{"setup", "steps", "output",
                                        "seal",  "rest",  "communication"};
/// The wall time of each phase on this rank, in seconds.
using PhaseSeconds = std::array<double, phase_names.size()>;

/// Measures its own lifetime and adds it to the time of a phase. The lifetimes of inner timers,
/// which are constructed and destroyed meanwhile, are left out. A timer that is no inner timer
/// first sets the times of all phases to 0. Local.
class PhaseTimer {
 public:
  /// If `life` is not null, the destructor adds the whole lifetime in seconds, with inner timers,
  /// to *life.
  explicit PhaseTimer(Phase phase, double* life = nullptr);
  ~PhaseTimer();
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  double begin_;
  double* life_;
  std::optional<Phase> before_;
};

/// Returns the times of all phases since the latest outermost timer (one that is no inner timer)
/// was constructed. Local.
PhaseSeconds phase_seconds();

/// Measures its own lifetime, in which ranks exchange numbers of one step, and adds it to the phase
/// `communication`. The timer reads a clock with
/// a resolution of milliseconds, because reading such a clock takes less time than a sum in shared
/// memory. The errors of this clock cancel on average. Local.
class MessageTimer {
 public:
  MessageTimer();
  ~MessageTimer();
  MessageTimer(const MessageTimer&) = delete;
  MessageTimer& operator=(const MessageTimer&) = delete;

 private:
  double begin_;
};

}  // namespace masing::parallel
