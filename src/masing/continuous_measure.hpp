#pragma once

#include <string>

#include "masing/continuous_table.hpp"
#include "masing/problem.hpp"
#include "masing/table_measure.hpp"

namespace masing {

/// The distribution of stiffness of the continuous slab, P = ∞.
using ContinuousMeasure = TableMeasure<ContinuousTable>;

/// The measure of a problem's k, η, u0, admissible ones (continuous_fault). Takes some 10 ms.
/// Local.
ContinuousMeasure make_continuous_measure(const Problem& problem);

/// What is wrong with k > 0, η > 0, |u0| ≤ η or |u0 - u0'| ≤ |η - η'| at 4097 uniform s, in one
/// line; empty if nothing is. Local.
std::string continuous_fault(const Problem& problem);

}  // namespace masing
