#pragma once

#include <pybind11/pybind11.h>

namespace masing::python {

/// Adds to the module masing._masing the functions that compute runs, studies and scans in this
/// process, and those that judge tables of errors. They are used by analysis/masing/native.py,
/// signatures.py and judgement.py.
void add_runs(pybind11::module_& module);

}  // namespace masing::python
