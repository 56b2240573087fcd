#pragma once

#include <mpi.h>

#include <numeric>

#include "base/aligned.hpp"
#include "parallel/communicator.hpp"

namespace masing::support {

/// The entries of all ranks, in the order of ranks, on every rank. Collective.
inline base::AlignedVector gather(const parallel::Communicator& comm,
                                  std::span<const double> values) {
  const int mine = static_cast<int>(values.size());
  std::vector<int> counts(static_cast<std::size_t>(comm.size()));
  std::vector<int> places(counts.size());
  MPI_Allgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, comm.handle());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  base::AlignedVector all(static_cast<std::size_t>(places.back() + counts.back()));
  MPI_Allgatherv(values.data(), mine, MPI_DOUBLE, all.data(), counts.data(), places.data(),
                 MPI_DOUBLE, comm.handle());
  return all;
}

}  // namespace masing::support
