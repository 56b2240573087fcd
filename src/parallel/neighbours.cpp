#include "parallel/neighbours.hpp"

#include <array>
#include <utility>

#include "parallel/communicator.hpp"

namespace masing::parallel {

Neighbours::Neighbours(const Communicator& comm, base::CellRange mine, std::int64_t elements) {
  // Entries 2r and 2r + 1 of `ends_` are rank r's.
  const PetscInt own = 2 * static_cast<PetscInt>(comm.rank());
  const bool has_before = mine.size > 0 && mine.first > 0;
  const bool has_after = mine.size > 0 && mine.first + mine.size < elements;
  std::array<PetscInt, 2> sources{own - 1, own + 2};
  std::array<PetscInt, 2> targets{0, 1};
  const std::array<bool, 2> exists{has_before, has_after};
  PetscInt count = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    if (exists[side]) {
      sources[static_cast<std::size_t>(count)] = sources[side];
      targets[static_cast<std::size_t>(count)] = targets[side];
      ++count;
    }
  }
  check_petsc(VecCreateMPI(comm.handle(), 2, PETSC_DETERMINE, &ends_));
  check_petsc(VecCreateSeq(PETSC_COMM_SELF, 2, &received_));
  check_petsc(VecSet(received_, 0.0));
  IS from = nullptr;
  IS to = nullptr;
  check_petsc(ISCreateGeneral(comm.handle(), count, sources.data(), PETSC_COPY_VALUES, &from));
  check_petsc(ISCreateGeneral(comm.handle(), count, targets.data(), PETSC_COPY_VALUES, &to));
  check_petsc(VecScatterCreate(ends_, from, received_, to, &scatter_));
  check_petsc(ISDestroy(&from));
  check_petsc(ISDestroy(&to));
}

Neighbours::~Neighbours() {
  if (scatter_ != nullptr) {
    VecScatterDestroy(&scatter_);
    VecDestroy(&received_);
    VecDestroy(&ends_);
  }
}

Neighbours::Neighbours(Neighbours&& other) noexcept
    : ends_(std::exchange(other.ends_, nullptr)),
      received_(std::exchange(other.received_, nullptr)),
      scatter_(std::exchange(other.scatter_, nullptr)) {}

Neighbours& Neighbours::operator=(Neighbours&& other) noexcept {
  std::swap(ends_, other.ends_);
  std::swap(received_, other.received_);
  std::swap(scatter_, other.scatter_);
  return *this;
}

Neighbours::Received Neighbours::exchange(double to_before, double to_after) {
  double* ends = nullptr;
  check_petsc(VecGetArrayWrite(ends_, &ends));
  ends[0] = to_before;
  ends[1] = to_after;
  check_petsc(VecRestoreArrayWrite(ends_, &ends));
  check_petsc(VecScatterBegin(scatter_, ends_, received_, INSERT_VALUES, SCATTER_FORWARD));
  check_petsc(VecScatterEnd(scatter_, ends_, received_, INSERT_VALUES, SCATTER_FORWARD));
  const double* received = nullptr;
  check_petsc(VecGetArrayRead(received_, &received));
  const Received result{received[0], received[1]};
  check_petsc(VecRestoreArrayRead(received_, &received));
  return result;
}

}  // namespace masing::parallel
