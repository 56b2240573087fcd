#pragma once

#include <petscvec.h>

#include "base/partition.hpp"
#include "parallel/communicator.hpp"

namespace masing::parallel {

/// Numbers that pass between the ranks of a line of elements, over a PETSc scatter; move-only.
class Neighbours {
 public:
  /// What a rank gets: from the rank that holds the element before its first, and after its last.
  struct Received {
    double from_before = 0.0;  ///< 0 if there is none
    double from_after = 0.0;   ///< 0 if there is none
  };

  /// `mine`: the elements of this rank of `elements`, consecutive in the order of ranks; a rank
  /// that has none comes after all that have some. Collective on `comm`.
  Neighbours(const Communicator& comm, base::CellRange mine, std::int64_t elements);
  ~Neighbours();
  Neighbours(Neighbours&& other) noexcept;
  Neighbours& operator=(Neighbours&& other) noexcept;
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  /// Give `to_before` and `to_after` to the neighbours, take theirs. Collective.
  Received exchange(double to_before, double to_after);

 private:
  Vec ends_ = nullptr;      // of all ranks: what goes before, what goes after
  Vec received_ = nullptr;  // of this rank
  VecScatter scatter_ = nullptr;
};

}  // namespace masing::parallel
