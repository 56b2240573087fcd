#include "parallel/bell.hpp"

#include <span>

#include "parallel/check.hpp"

namespace parallel {

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

}  // namespace parallel
