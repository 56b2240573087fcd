#include "parallel/stop.hpp"

#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace masing::parallel {

namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point began = Clock::now();
double wall_limit = base::infinity;  // in seconds
std::atomic<int> requested_by = 0;

// Causes of a stop request that are not signals.
constexpr int by_wall_limit = -1;
constexpr int by_program = -2;

const Communicator* all_ranks = nullptr;  // of watch_stops()
constexpr int tag_of_stop = 1;            // no other message on it has this tag
// The cause of the first stop request that this rank knows of, or 0; sent by other ranks to the
// root.
int known_cause = 0;
MPI_Request sending = MPI_REQUEST_NULL;
std::int64_t under_way = 0;  // the messages sent by this rank, minus those received by it

void receive_cause() {
  check_mpi(MPI_Recv(&known_cause, 1, MPI_INT, MPI_ANY_SOURCE, tag_of_stop, all_ranks->handle(),
                     MPI_STATUS_IGNORE));
  --under_way;
}

/// Returns the cause of the stop request that this rank knows of, or 0 if it knows of none. If the
/// request was made to a rank other than the root, this rank sends its cause to the root, once. The
/// root receives one such message, the first that it finds.
int stop_cause() {
  // A check for messages may cost time, because MPI may yield the core in it. Checks are therefore
  // at least this time apart.
  constexpr auto distance = std::chrono::milliseconds(20);
  static Clock::time_point next_check;
  const auto now = Clock::now();
  if (known_cause != 0) {
    return known_cause;
  }
  const bool is_late = std::chrono::duration<double>(now - began).count() >= wall_limit;
  known_cause = requested_by != 0 ? requested_by.load() : is_late ? by_wall_limit : 0;
  if (all_ranks == nullptr || all_ranks->size() == 1) {
    return known_cause;
  }
  if (!all_ranks->is_root() && known_cause != 0) {
    check_mpi(MPI_Isend(&known_cause, 1, MPI_INT, 0, tag_of_stop, all_ranks->handle(), &sending));
    ++under_way;
  } else if (all_ranks->is_root() && known_cause == 0 && now >= next_check) {
    next_check = now + distance;
    int any = MPI_ANY_SOURCE;
    has_arrived(*all_ranks, any, tag_of_stop) ? receive_cause() : void();
  }
  return known_cause;
}

}  // namespace

void request_stop(int signal) {
  requested_by = signal > 0 ? signal : by_program;
}

void clear_stop() {
  requested_by = 0;
}

void limit_wall_time(double seconds) {
  wall_limit = seconds;
}

bool stop_requested() {
  return stop_cause() != 0;
}

base::Polling stop_polling() {
  return base::Polling([begin = Clock::now()] {
    if (Clock::now() - begin > std::chrono::seconds(1) && stop_requested()) {
      throw base::Stopped("stopped before the first step");
    }
  });
}

std::string stop_reason(const Communicator& comm) {
  const int cause = stop_cause();
  std::string reason = cause == 0               ? ""
                       : cause == by_wall_limit ? "by the wall limit"
                                                : "by the program";
  for (const auto& [number, name] : stop_signals) {
    if (cause == number) {
      reason = fmt::format("by {}", name);
    }
  }
  return first_text(comm, reason);
}

void watch_stops(const Communicator* comm) {
  all_ranks = comm;
}

void forget_stops() {
  const Communicator* comm = std::exchange(all_ranks, nullptr);  // stop_cause() sends no message
  sum_over_ranks(*comm, std::span(&under_way, 1));
  all_ranks = comm;
  while (comm->is_root() && under_way > 0) {
    receive_cause();
  }
  check_mpi(MPI_Wait(&sending, MPI_STATUS_IGNORE));
  under_way = 0;
  known_cause = 0;
  began = Clock::now();
  wall_limit = base::infinity;
}

}  // namespace masing::parallel
