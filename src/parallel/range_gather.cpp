#include "parallel/range_gather.hpp"

#include "parallel/check.hpp"

namespace parallel {

RangeGather::RangeGather(const Vector& layout, const base::CellRange& wanted) {
  check_petsc(VecCreateSeq(PETSC_COMM_SELF, wanted.size, &local_));
  IS indices = nullptr;
  check_petsc(ISCreateStride(PETSC_COMM_SELF, wanted.size, wanted.first, 1, &indices));
  check_petsc(VecScatterCreate(layout.handle(), indices, local_, nullptr, &scatter_));
  check_petsc(ISDestroy(&indices));
}

RangeGather::~RangeGather() {
  if (array_ != nullptr) {
    VecRestoreArrayRead(local_, &array_);
  }
  VecScatterDestroy(&scatter_);
  VecDestroy(&local_);
}

std::span<const double> RangeGather::operator()(const Vector& source) {
  if (array_ != nullptr) {
    check_petsc(VecRestoreArrayRead(local_, &array_));
  }
  check_petsc(VecScatterBegin(scatter_, source.handle(), local_, INSERT_VALUES, SCATTER_FORWARD));
  check_petsc(VecScatterEnd(scatter_, source.handle(), local_, INSERT_VALUES, SCATTER_FORWARD));
  PetscInt size = 0;
  check_petsc(VecGetLocalSize(local_, &size));
  check_petsc(VecGetArrayRead(local_, &array_));
  return {array_, static_cast<std::size_t>(size)};
}

}  // namespace parallel
