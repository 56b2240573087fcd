#pragma once

#include <csignal>
#include <string>
#include <utility>

#include "base/hooks.hpp"
#include "parallel/communicator.hpp"

namespace masing::parallel {

/// The signals by which a user or a scheduler requests the program to stop, with their names.
inline constexpr std::pair<int, const char*> stop_signals[] = {
    {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGTERM, "SIGTERM"},
    {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},   {SIGXCPU, "SIGXCPU"}};

/// Requests that all ranks stop as soon as they can. The request may be made to any rank. `signal`
/// is the number of the signal that caused the request; 0 or a negative number means that the
/// program itself requests the stop. Async-signal-safe. Local.
void request_stop(int signal);

/// Withdraws the request that request_stop() has made on this rank. This function may be called
/// only between two calls of Session::begin_call(). Local.
void clear_stop();

/// Requests a stop after `seconds`, counted from the start of the process or, in the Python module,
/// from the latest forget_stops(). Local.
void limit_wall_time(double seconds);

/// Returns whether this rank knows that a stop was requested. The root knows of requests to any
/// rank: a rank that was requested to stop tells the root in this function, which is also called
/// while a rank waits in sleep_until(). Other ranks know only of requests to themselves. Local, and
/// fast.
bool stop_requested();

/// While the returned object exists, base::poll() throws Stopped if a stop was requested. In the
/// first second poll() does not throw, so that short computations are completed. Local.
[[nodiscard]] base::Polling stop_polling();

/// Returns the cause of the stop as a text, such as "by SIGUSR1" or "by the wall limit". Every rank
/// returns the cause that the lowest rank with a known cause knows. The text is empty if no rank
/// knows a cause. Collective.
std::string stop_reason(const Communicator& comm);

/// From here on the root of `comm` is told of a stop request to any of its ranks; of none, if
/// `comm` is null. `comm` must exist until the next call. Local.
void watch_stops(const Communicator* comm);

/// Makes all ranks of the communicator of watch_stops() forget the stop requests that they know of,
/// except those that a rank has not withdrawn by clear_stop(), and the time limit. Collective.
void forget_stops();

}  // namespace masing::parallel
