#pragma once

#include "parallel/communicator.hpp"

namespace masing::support {

/// All ranks of the test run.
const parallel::Communicator& world();

/// This rank by itself: what is computed on it is computed on one rank.
inline parallel::Communicator alone() {
  return parallel::Communicator(MPI_COMM_SELF);
}

}  // namespace masing::support
