#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "base/seconds.hpp"

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
  explicit PhaseTimer(Phase phase, double* life = nullptr)
      : begin_(base::seconds_now()), life_(life), before_(current) {
    if (!before_) {
      counted = {};
    }
    change(phase, begin_);
  }
  ~PhaseTimer() {
    change(before_, base::seconds_now());
    if (life_ != nullptr) {
      *life_ += since - begin_;
    }
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  friend PhaseSeconds phase_seconds();
  friend class MessageTimer;

  /// Adds the time from the last change until `now` to the current phase, and makes `next` the
  /// current phase.
  static void change(std::optional<Phase> next, double now) {
    if (current) {
      counted[static_cast<std::size_t>(*current)] += now - since;
    }
    current = next;
    since = now;
  }

  inline static PhaseSeconds counted;
  inline static std::optional<Phase> current;
  inline static double since = 0.0;

  double begin_;
  double* life_;
  std::optional<Phase> before_;
};

/// Returns the times of all phases since the latest outermost timer (one that is no inner timer)
/// was constructed. Local.
inline PhaseSeconds phase_seconds() {
  PhaseTimer::change(PhaseTimer::current, base::seconds_now());
  return PhaseTimer::counted;
}

/// Measures its own lifetime, in which ranks exchange numbers of one step, and adds it to the phase
/// `communication`. The timer reads a clock with a resolution of milliseconds, because reading such
/// a clock takes less time than a sum in shared memory. The errors of this clock cancel on average.
/// Local.
class MessageTimer {
 public:
  MessageTimer() = default;
  ~MessageTimer() {
    PhaseTimer::counted[static_cast<std::size_t>(Phase::communication)] +=
        base::seconds_now(CLOCK_MONOTONIC_COARSE) - begin_;
  }
  MessageTimer(const MessageTimer&) = delete;
  MessageTimer& operator=(const MessageTimer&) = delete;

 private:
  double begin_ = base::seconds_now(CLOCK_MONOTONIC_COARSE);
};

}  // namespace masing::parallel
