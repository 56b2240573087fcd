#pragma once

#include <vector>

#include "cli/options.hpp"

namespace masing::corpus {

/// What is wrong with a scheme.
enum class Defect {
  none,
  u0_shifted,        ///< by 1e-4
  one_step_too_many  ///< what is compared at t is a step later
};

/// The errors of x, [levels], max over 25 common times, of leapfrog with a defect against leapfrog
/// without one and 16 times finer than the last level, both at 30 cells of rule midpoint, written
/// for this test alone: cell by cell, from the formulas of src/README.md. `steps` are multiples of
/// 25.
std::vector<double> defective_errors(const cli::Configuration& problem, Defect defect,
                                     const std::vector<long>& steps);

}  // namespace masing::corpus
