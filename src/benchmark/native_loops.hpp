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

/// Lanes of a block's sum in the kernel.
inline constexpr std::int64_t block_lanes = 16;

/// Σ_b round(scale · Σ lanes of block b), lanes [blocks, block_lanes] added pairwise: what the
/// kernel does once a block and step to make its sum exact. Local.
std::int64_t exact_sum(const double* lanes, std::int64_t blocks, double scale);

/// target ← source, [size]. Local.
void copy(double* target, const double* source, std::int64_t size);
/// target ← first + factor·second, [size]. Local.
void triad(double* target, const double* first, const double* second, std::int64_t size,
           double factor);
/// target ← target + term, [size]: the kernel's own traffic of u. Local.
void update(double* target, std::int64_t size, double term);

}  // namespace masing::benchmark
