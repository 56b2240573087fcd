#pragma once

#include "parallel/communicator.hpp"
#include "parallel/session.hpp"

namespace masing::support {

const parallel::Communicator& world();

/// The session of all tests.
parallel::Session& session();

/// This rank by itself: what is computed on it is computed on one rank.
inline parallel::Communicator alone() {
  return parallel::Communicator(MPI_COMM_SELF);
}

/// All ranks of `comm` for what they split, else this rank by itself. Collective.
inline parallel::Communicator all_or_one(const parallel::Communicator& comm, bool is_split) {
  return parallel::Communicator(is_split ? comm.handle() : MPI_COMM_SELF);
}

}  // namespace masing::support
