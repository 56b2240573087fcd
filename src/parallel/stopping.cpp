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

void StopNotice::send() {
  if (sent_) {
    return;
  }
  sent_ = received_ = true;
  for (int rank = 0; rank < comm_.size(); ++rank) {
    if (rank != comm_.rank()) {
      check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, rank, 0, comm_.handle(),
                          &requests_.emplace_back(MPI_REQUEST_NULL)));
    }
  }
}

bool StopNotice::received() {
  int arrived = received_ ? 1 : 0;
  if (!received_) {
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, 0, comm_.handle(), &arrived, MPI_STATUS_IGNORE));
  }
  received_ = arrived != 0;
  return received_;
}

void StopNotice::drain() {
  std::int64_t senders = sent_ ? 1 : 0;
  sum_over_ranks(comm_, std::span(&senders, 1));
  for (std::int64_t left = senders - (sent_ ? 1 : 0); left > 0; --left) {
    check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, comm_.handle(), MPI_STATUS_IGNORE));
  }
  check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  requests_.clear();
}

namespace {

constexpr std::array<std::pair<int, const char*>, 4> handled_signals{
    {{SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}}};

volatile std::sig_atomic_t first_signal = 0;
volatile std::sig_atomic_t first_arrival = 0;  // tenths of a second of a monotonic clock

/// Only what POSIX allows in a signal handler.
std::sig_atomic_t tenths_of_a_second() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::sig_atomic_t>((now.tv_sec % 10'000'000) * 10 + now.tv_nsec / 100'000'000);
}

void handle_signal(int signal) {
  // A scheduler and mpirun may both deliver the same request.
  constexpr std::sig_atomic_t same_request = 5;
  if (first_signal == 0) {
    first_arrival = tenths_of_a_second();
    first_signal = signal;
  } else if (tenths_of_a_second() - first_arrival > same_request) {
    _exit(128 + signal);
  }
}

using Clock = std::chrono::steady_clock;
const Clock::time_point started = Clock::now();
double wall_limit = std::numeric_limits<double>::infinity();

StopNotice* shared_notice = nullptr;

bool out_of_time() {
  return std::chrono::duration<double>(Clock::now() - started).count() >= wall_limit;
}

std::string own_reason() {
  for (const auto& [signal, name] : handled_signals) {
    if (first_signal == signal) {
      return std::string("by ") + name;
    }
  }
  return out_of_time() ? "by the wall limit" : "";
}

}  // namespace

void install_signal_handlers() {
  for (const auto& [signal, name] : handled_signals) {
    struct sigaction action {};
    action.sa_handler = handle_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

void limit_wall_time(double seconds) {
  wall_limit = seconds;
}

bool stop_requested() {
  const bool requested_here = first_signal != 0 || out_of_time();
  if (requested_here && shared_notice != nullptr) {
    shared_notice->send();
  }
  return requested_here || (shared_notice != nullptr && shared_notice->received());
}

void share_stop_requests(StopNotice* notice) {
  shared_notice = notice;
}

std::string stop_reason(const Communicator& comm) {
  return first_text(comm, own_reason());
}

}  // namespace masing::parallel
