#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "slab/kernel/kernel_variant.hpp"
#include "slab/profile.hpp"

namespace masing::slab {

/// The cells of one rank: their arrays, and the form that replaces some. The first cell must lie on
/// a block limit (base::block_cells).
struct SlabView {
  std::span<double> u;                ///< elongations, [P_local]
  std::span<const double> threshold;  ///< η_i, [P_local]; not read if form.threshold
  std::span<const double> stiffness;  ///< k_i, [P_local]; not read if form.stiffness
  std::int64_t first_cell = 0;        ///< global index of the first cell
  ProfileForm form;
};

/// The kernel for one slab, with its variant chosen once.
class SlabKernel {
 public:
  /// `scale` is δs in units of the fixed-point sum; the slab's arrays must outlive the kernel.
  SlabKernel(const SlabView& slab, double scale);

  /// Project the slab on [-η, η] after one or two increments, and sum the internal force of each:
  ///     u_i ← clamp(u_i + d_j, -η_i, η_i),   units_j += round(scale · Σ_block k_i u_i),  j = 1, 2.
  /// A block's sum has a fixed order (16 lanes, then a tree), so its bits depend neither on the
  /// instruction set nor on the distribution. `increments` and `units` have the same size, 1 or 2.
  /// Before the first pass, call it once with d = 0: later passes compare with one bound only and
  /// rely on |u_i| ≤ η_i. Local.
  /// Source: (26c), (26b), continuous-masing-2001.
  void project_and_sum(std::span<const double> increments, std::span<std::int64_t> units) const;

  /// The arguments of a pass, the same for every instruction set. Local.
  [[nodiscard]] const KernelArguments& arguments() const { return arguments_; }

 private:
  std::shared_ptr<const std::vector<double>> line_offsets_;  // null: η is read from memory
  KernelArguments arguments_;
  std::array<KernelPass, 2> passes_{};
};

/// The instruction set chosen at run time: "avx512", "avx2" or "baseline". Local.
std::string_view kernel_instruction_set();

}  // namespace masing::slab
