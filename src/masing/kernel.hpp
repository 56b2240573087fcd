#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "masing/profile.hpp"

namespace masing {

/// A slab of cells in memory, and what of its profile need not be read from there. Its first cell
/// must lie on a block limit (base::block_cells).
struct Slab {
  std::span<double> u;                ///< elongations, [P_local]
  std::span<const double> threshold;  ///< η_i, [P_local]; not read if form.affine_threshold
  std::span<const double> stiffness;  ///< k_i, [P_local]; not read if form.constant_stiffness
  std::int64_t first_cell = 0;        ///< global index of the first cell
  ProfileForm form;
};

struct KernelSlab;

/// The slab as the kernel's variants see it; `scale` as in project_and_sum. Local.
KernelSlab kernel_slab(const Slab& slab, double scale);

/// Project the slab on [-η, η] after one or two increments, and sum the internal force of each:
///     u_i ← clamp(u_i + d_j, -η_i, η_i),   units_j += round(scale · Σ_block k_i u_i),  j = 1, 2.
/// A block's sum has a fixed order (16 lanes, then a tree), so its bits depend neither on the
/// instruction set nor on the distribution. `increments` and `units` have the same size, 1 or 2;
/// `scale` is δs in units of the fixed-point sum. Local. Source: (26c), (26b).
void project_and_sum(const Slab& slab, std::span<const double> increments, double scale,
                     std::span<std::int64_t> units);

/// The instruction set chosen at run time: "avx512", "avx2" or "baseline". Local.
std::string_view kernel_instruction_set();

}  // namespace masing
