#include "parallel/vector.hpp"

#include <petscvec.h>

#include <algorithm>
#include <numeric>
#include <vector>

static_assert(sizeof(PetscInt) == 8, "masing needs a PETSc with 64-bit indices (petsc64)");
#if !defined(PETSC_HAVE_HDF5)
#error "masing needs a PETSc built with HDF5"
#endif
#if defined(PETSC_USE_COMPLEX)
#error "masing needs a PETSc with real scalars"
#endif

namespace masing::parallel {

Vector::Vector(const Communicator& comm, std::int64_t cells)
    : Vector(comm, cells, base::local_range(cells, comm.rank(), comm.size())) {}

Vector::Vector(const Communicator& comm, std::int64_t cells, const base::CellRange& mine)
    : cells_(cells), range_(mine), entries_(static_cast<std::size_t>(mine.size), 0.0) {
  Vec vector = nullptr;
  check_petsc(VecCreateMPIWithArray(comm.handle(), 1, mine.size, cells, entries_.data(), &vector));
  handle_.reset(vector);
}

int Vector::ranks() const {
  int count = 0;
  check_mpi(MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(handle())), &count));
  return count;
}

void Vector::Destroy::operator()(Vec vector) const {
  VecDestroy(&vector);
}

void fill_from_ranges(Vector& target, std::int64_t first, std::span<const double> values) {
  // The entries are set in segments, because an array of the indices of all `values` would need as
  // much memory as `values`.
  constexpr std::size_t segment = 4096;
  std::vector<PetscInt> cells;
  while (!values.empty()) {
    const auto part = values.first(std::min(values.size(), segment));
    cells.resize(part.size());
    std::iota(cells.begin(), cells.end(), first);
    check_petsc(VecSetValues(target.handle(), static_cast<PetscInt>(cells.size()), cells.data(),
                             part.data(), INSERT_VALUES));
    first += static_cast<std::int64_t>(part.size());
    values = values.subspan(part.size());
  }
  check_petsc(VecAssemblyBegin(target.handle()));
  check_petsc(VecAssemblyEnd(target.handle()));
}

RangeGather::RangeGather(const Vector& layout, const base::CellRange& range)
    : local_(Communicator(PETSC_COMM_SELF), range.size, range) {
  IS indices = nullptr;
  check_petsc(ISCreateStride(PETSC_COMM_SELF, range.size, range.first, 1, &indices));
  check_petsc(VecScatterCreate(layout.handle(), indices, local_.handle(), nullptr, &scatter_));
  check_petsc(ISDestroy(&indices));
}

RangeGather::~RangeGather() {
  VecScatterDestroy(&scatter_);
}

std::span<const double> RangeGather::operator()(const Vector& source) {
  for (const auto part : {VecScatterBegin, VecScatterEnd}) {
    check_petsc(part(scatter_, source.handle(), local_.handle(), INSERT_VALUES, SCATTER_FORWARD));
  }
  return local_.values();
}

}  // namespace masing::parallel
