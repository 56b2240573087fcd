#pragma once

#include <array>
#include <span>

#include "slab/kernel/kernel.hpp"

namespace masing::benchmark {

/// SlabKernel::project_and_sum as it would be without reproducible sums: one plain sum of doubles
/// over the whole slab, no blocks and no integers. For two increments, and for η and k both from
/// memory or neither, with the kernel's instruction set. Local.
std::array<double, 2> project_and_sum_plainly(const slab::SlabKernel& kernel,
                                              const std::array<double, 2>& increments);

}  // namespace masing::benchmark
