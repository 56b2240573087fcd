#include "parallel/stopping.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <limits>
#include <span>
#include <utility>

#include "parallel/communicator.hpp"

namespace masing::parallel {

void Bell::ring() {
  if (rung_) {
    return;
  }
  rung_ = heard_ = true;
  for (int rank = 0; rank < comm_.size(); ++rank) {
    if (rank != comm_.rank()) {
      check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, rank, 0, comm_.handle(),
                          &requests_.emplace_back(MPI_REQUEST_NULL)));
    }
  }
}

bool Bell::heard() {
  int arrived = heard_ ? 1 : 0;
  if (!heard_) {
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, 0, comm_.handle(), &arrived, MPI_STATUS_IGNORE));
  }
  heard_ = arrived != 0;
  return heard_;
}

void Bell::silence() {
  std::int64_t rings = rung_ ? 1 : 0;
  sum_over_ranks(comm_, std::span(&rings, 1));
  for (std::int64_t left = rings - (rung_ ? 1 : 0); left > 0; --left) {
    check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, comm_.handle(), MPI_STATUS_IGNORE));
  }
  check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  requests_.clear();
}

namespace {

constexpr std::array<std::pair<int, const char*>, 4> heard{
    {{SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}}};

volatile std::sig_atomic_t first_signal = 0;

volatile std::sig_atomic_t first_heard = 0;  // in tenths of a second, of some clock

/// Only what POSIX allows in a signal handler.
std::sig_atomic_t tenths_of_a_second() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::sig_atomic_t>((now.tv_sec % 10'000'000) * 10 + now.tv_nsec / 100'000'000);
}

void note(int signal) {
  // One request may arrive twice, from a scheduler and from mpirun.
  constexpr std::sig_atomic_t same_request = 5;
  if (first_signal == 0) {
    first_heard = tenths_of_a_second();
    first_signal = signal;
  } else if (tenths_of_a_second() - first_heard > same_request) {
    _exit(128 + signal);
  }
}

using Clock = std::chrono::steady_clock;
const Clock::time_point started = Clock::now();
double wall_limit = std::numeric_limits<double>::infinity();

Bell* shared_bell = nullptr;

bool out_of_time() {
  return std::chrono::duration<double>(Clock::now() - started).count() >= wall_limit;
}

std::string own_reason() {
  for (const auto& [signal, name] : heard) {
    if (first_signal == signal) {
      return std::string("by ") + name;
    }
  }
  return out_of_time() ? "by the wall limit" : "";
}

}  // namespace

void listen_to_signals() {
  for (const auto& [signal, name] : heard) {
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

void limit_wall_time(double seconds) {
  wall_limit = seconds;
}

bool stop_requested() {
  const bool asked = first_signal != 0 || out_of_time();
  if (asked && shared_bell != nullptr) {
    shared_bell->ring();
  }
  return asked || (shared_bell != nullptr && shared_bell->heard());
}

void listen_to(Bell* bell) {
  shared_bell = bell;
}

std::string stop_reason(const Communicator& comm) {
  return first_text(comm, own_reason());
}

}  // namespace masing::parallel
