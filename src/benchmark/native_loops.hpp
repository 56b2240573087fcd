#pragma once

#include <cstdint>

namespace masing::benchmark {

// Loops as a careful user writes them, compiled for the machine the program is built on.

/// Whether this processor has the instructions the loops were compiled to. Local.
bool native_loops_run_here();

/// The obvious fused loop, one step a pass over three arrays [cells]: u ← clamp(u + d, -η, η), and
/// the plain sum of k u, which it gives. Local.
double baseline_step(double* u, const double* threshold, const double* stiffness,
                     std::int64_t cells, double d);

/// target ← target + term, [size]: the kernel's own traffic of u. Local.
void update(double* target, std::int64_t size, double term);

}  // namespace masing::benchmark
