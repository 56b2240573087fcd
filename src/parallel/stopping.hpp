#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "parallel/communicator.hpp"

namespace masing::parallel {

/// A stop request for all ranks of a communicator, sent by an empty message to each: for ranks that
/// work apart and meet in no collective. Polled between chunks.
class StopNotice {
 public:
  /// Collective.
  explicit StopNotice(const Communicator& comm) : comm_(comm.handle()) {}

  /// Send the request to all other ranks; later calls do nothing. Local.
  void send();
  /// Whether this or any other rank's request has arrived here. Local.
  [[nodiscard]] bool received();
  /// Receive the messages still under way. No rank may send afterwards. Collective.
  void drain();

 private:
  Communicator comm_;  // a duplicate: no other message can match
  bool sent_ = false;
  bool received_ = false;
  std::vector<MPI_Request> requests_;
};

/// Install handlers by which SIGUSR1, SIGUSR2, SIGTERM and SIGINT request this process to stop
/// where it can; a second signal, half a second later or more, ends it at once. Local.
void install_signal_handlers();

/// Request this process to stop `seconds` after it was started. Local.
void limit_wall_time(double seconds);

/// Whether any rank of the program was requested to stop. Local, and cheap.
bool stop_requested();

/// Share stop requests between the ranks by this notice from now on; null ends it. Local.
void share_stop_requests(StopNotice* notice);

/// The cause, "by SIGUSR1" or "by the wall limit", of the first rank that has one; the same on
/// every rank. Collective.
std::string stop_reason(const Communicator& comm);

}  // namespace masing::parallel
