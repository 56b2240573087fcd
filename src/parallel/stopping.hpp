#pragma once

#include <string>

#include "parallel/bell.hpp"
#include "parallel/communicator.hpp"

namespace parallel {

/// From now on SIGUSR1, SIGUSR2, SIGTERM and SIGINT ask this process to stop where it can; a second
/// one, half a second later or more, ends it at once. Local.
void listen_to_signals();

/// Ask this process to stop `seconds` after it was started. Local.
void limit_wall_time(double seconds);

/// Whether a rank of the program has been asked to stop. Local, and cheap.
bool stop_requested();

/// From now on the ranks tell each other by this bell, or no more by any. Local.
void listen_to(Bell* bell);

/// Why: "by SIGUSR1", "by the wall limit"; the first rank's that was asked, the same on every rank.
/// Collective.
std::string stop_reason(const Communicator& comm);

}  // namespace parallel
