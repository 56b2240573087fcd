#pragma once

#include <cstdint>

namespace masing::benchmark {

// Loops as a careful user would write them. They are compiled for the processor of the machine on
// which the program is built.

/// Computes one step of a slab in one loop over its cells: u ← clamp(u + d, -η, η), where `d` is
/// the increment of x. Returns Σ k u, summed in plain floating-point arithmetic. The arrays u, η =
/// `threshold` and k = `stiffness` have the shape [cells]. Local.
double baseline_step(double* u, const double* threshold, const double* stiffness,
                     std::int64_t cells, double d);

/// Adds `term` to each entry of `target`, [size]. For each entry the loop reads and writes as many
/// bytes as the kernel of engine sweep does for the u of a cell. Local.
void update(double* target, std::int64_t size, double term);

}  // namespace masing::benchmark
