#pragma once

#include <cstdint>

namespace masing::benchmark {

// Loops as a careful user would write them, compiled for the processor of the machine on which the
// program is built.

/// Returns whether this processor has the instructions for which the loops were compiled. Local.
bool native_loops_run_here();

/// Computes one step of a slab in one loop over three arrays [cells]: u ← clamp(u + d, -η, η),
/// where `d` is the increment of x. Returns Σ k u, summed up in plain floating-point arithmetic.
/// Local.
double baseline_step(double* u, const double* threshold, const double* stiffness,
                     std::int64_t cells, double d);

/// Adds `term` to each entry of `target`, [size]. This loop reads and writes as many bytes for an
/// entry as the kernel of engine sweep does for u of a cell. Local.
void update(double* target, std::int64_t size, double term);

}  // namespace masing::benchmark
