#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "parallel/communicator.hpp"

namespace masing::parallel {

/// Tells all ranks that one of them was asked to stop, while they work apart and meet in no
/// collective: a message without content to each, looked for between chunks.
class Bell {
 public:
  /// Collective.
  explicit Bell(const Communicator& comm) : comm_(comm.handle()) {}

  /// Rings once, however often it is called. Local.
  void ring();
  /// Whether any rank's ring has come here. Local.
  [[nodiscard]] bool heard();
  /// Takes in what was rung, so that no message is left. No rank may ring any more. Collective.
  void silence();

 private:
  Communicator comm_;  // its own, so that no other message can be mistaken
  bool rung_ = false;
  bool heard_ = false;
  std::vector<MPI_Request> requests_;
};

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

}  // namespace masing::parallel
