#include "parallel/check.hpp"

#include <mpi.h>

#include <string_view>

#include "base/error.hpp"

namespace parallel {

std::string place(const base::Location& where) {
  const std::string_view path = where.file;
  const auto slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1)) + ":" +
         std::to_string(where.line);
}

void check_petsc(PetscErrorCode code, base::Location where) {
  if (code == 0) {
    return;
  }
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw base::SystemError("PETSc at " + place(where) + ": " +
                          (text != nullptr ? text : "error " + std::to_string(code)));
}

void check_mpi(int code, base::Location where) {
  if (code == MPI_SUCCESS) {
    return;
  }
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw base::SystemError("MPI at " + place(where) + ": " + text);
}

}  // namespace parallel
