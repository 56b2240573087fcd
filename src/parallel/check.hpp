#pragma once

#include <petscsys.h>

#include <string>

#include "base/location.hpp"

static_assert(sizeof(PetscInt) == 8, "masing needs a PETSc with 64-bit indices (petsc64)");
#if !defined(PETSC_HAVE_HDF5)
#error "masing needs a PETSc built with HDF5"
#endif
#if defined(PETSC_USE_COMPLEX)
#error "masing needs a PETSc with real scalars"
#endif

/// MPI and PETSc: session, communicators, distributed vectors, reductions, failure on all ranks.
namespace parallel {

/// "file.cpp:12", for messages of failures.
std::string place(const base::Location& where);

/// Throws SystemError with PETSc's message and the place of the call if `code` is an error. Local.
void check_petsc(PetscErrorCode code, base::Location where = base::Location::current());

/// Throws SystemError with MPI's message and the place of the call if `code` is an error. Local.
void check_mpi(int code, base::Location where = base::Location::current());

}  // namespace parallel
