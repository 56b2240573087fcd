#pragma once

#include <petscvec.h>

#include "base/partition.hpp"
#include "parallel/communicator.hpp"

namespace masing::parallel {

/// Exchange of one number with each neighbour along a line of elements, by a PETSc scatter;
/// move-only.
class Neighbours {
 public:
  /// From the ranks that hold the element before this rank's first and after its last.
  struct Received {
    double from_before = 0.0;  ///< 0 if there is none
    double from_after = 0.0;   ///< 0 if there is none
  };

  /// `mine`: the elements of this rank of `elements`, consecutive in the order of ranks; ranks
  /// without elements come last. Collective on `comm`.
  Neighbours(const Communicator& comm, base::CellRange mine, std::int64_t elements);
  ~Neighbours();
  Neighbours(Neighbours&& other) noexcept;
  Neighbours& operator=(Neighbours&& other) noexcept;
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  /// Send `to_before` and `to_after` to the neighbours and receive theirs. Collective.
  Received exchange(double to_before, double to_after);

 private:
  Vec ends_ = nullptr;      // [2 ranks]: to the rank before, to the rank after
  Vec received_ = nullptr;  // [2]: from before, from after
  VecScatter scatter_ = nullptr;
};

}  // namespace masing::parallel
