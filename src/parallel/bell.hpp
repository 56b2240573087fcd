#pragma once

#include <mpi.h>

#include <vector>

#include "parallel/communicator.hpp"

namespace parallel {

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

}  // namespace parallel
