#pragma once

#include <ctime>

namespace masing::base {

/// Returns the seconds that a clock of the system shows; differences of two results are durations.
/// May be called in a signal handler. Local.
inline double seconds_now(clockid_t clock = CLOCK_MONOTONIC) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace masing::base
