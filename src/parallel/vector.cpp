#include "parallel/vector.hpp"

#include <petscvec.h>

static_assert(sizeof(PetscInt) == 8, "masing needs a PETSc with 64-bit indices (petsc64)");
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
