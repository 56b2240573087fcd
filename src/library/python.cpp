#include <pybind11/pybind11.h>

#include "library/masing/run.hpp"

PYBIND11_MODULE(_masing, module) {
  module.doc() = "masing in the process";
}
