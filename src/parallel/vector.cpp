#include "parallel/vector.hpp"

#include <numeric>
#include <vector>

#include "parallel/check.hpp"

namespace parallel {

Vector::Vector(const Communicator& comm, std::int64_t cells) {
  const base::CellRange slab = base::slab_of(cells, comm.rank(), comm.size());
  check_petsc(VecCreateMPI(comm.handle(), slab.size, cells, &handle_));
  check_petsc(VecSet(handle_, 0.0));
}

Vector::~Vector() {
  if (handle_ != nullptr) {
    VecDestroy(&handle_);
  }
}

std::int64_t Vector::size() const {
  PetscInt cells = 0;
  check_petsc(VecGetSize(handle_, &cells));
  return cells;
}

base::CellRange Vector::range() const {
  PetscInt first = 0;
  PetscInt end = 0;
  check_petsc(VecGetOwnershipRange(handle_, &first, &end));
  return {first, end - first};
}

ReadAccess::ReadAccess(const Vector& vector) : handle_(vector.handle()) {
  check_petsc(VecGetArrayRead(handle_, &array_));
  values_ = {array_, static_cast<std::size_t>(vector.range().size)};
}

ReadAccess::~ReadAccess() {
  VecRestoreArrayRead(handle_, &array_);
}

WriteAccess::WriteAccess(Vector& vector) : handle_(vector.handle()) {
  check_petsc(VecGetArray(handle_, &array_));
  values_ = {array_, static_cast<std::size_t>(vector.range().size)};
}

WriteAccess::~WriteAccess() {
  VecRestoreArray(handle_, &array_);
}

void fill_from_ranges(Vector& target, std::int64_t first, std::span<const double> values) {
  std::vector<PetscInt> cells(values.size());
  std::iota(cells.begin(), cells.end(), first);
  check_petsc(VecSetValues(target.handle(), static_cast<PetscInt>(cells.size()), cells.data(),
                           values.data(), INSERT_VALUES));
  check_petsc(VecAssemblyBegin(target.handle()));
  check_petsc(VecAssemblyEnd(target.handle()));
}

void add_scaled(Vector& target, double weight, const Vector& source) {
  check_petsc(VecAXPY(target.handle(), weight, source.handle()));
}

}  // namespace parallel
