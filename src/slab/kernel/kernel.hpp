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

/// The cells of one rank: views of the arrays of u, η and k, and formulas that may replace the
/// arrays of η and k. The first cell must be the first of a block of base::block_cells cells.
struct SlabView {
  std::span<double> u;                ///< elongations, [P_local]
  std::span<const double> threshold;  ///< η_i, [P_local]; not read if form.threshold has a formula
  std::span<const double> stiffness;  ///< k_i, [P_local]; not read if form.stiffness has a formula
  std::int64_t first_cell = 0;        ///< global index of the first cell
  /// The formulas that replace the arrays of η and k.
  ProfileForm form;
};

/// Moves the cells of one rank and sums their forces. The code is compiled for several instruction
/// sets and for each combination of arrays and formulas; the constructor chooses one of these
/// versions.
class SlabKernel {
 public:
  /// `scale` is δs divided by the unit of the integer sum (base::FixedPoint::unit()). The arrays
  /// that `slab` views must outlive the object.
  SlabKernel(const SlabView& slab, double scale);

  /// Adds one or two increments of x, one after the other, to the elongation u of every cell. After
  /// each increment j, u is clamped to [-η, η], and the internal force is added to the integer
  /// units_j:
  ///     u_i ← clamp(u_i + d_j, -η_i, η_i),   units_j += round(scale · Σ_block k_i u_i),  j = 1, 2.
  /// The cells of a block are summed in a fixed order (in 16 lanes, which are then added pairwise),
  /// so that the bits of the sum depend neither on the instruction set nor on the distribution over
  /// ranks. `increments` and `units` have the same size, 1 or 2. The first call must be with the
  /// increment 0: that call clamps u at both bounds, while later calls rely on |u_i| ≤ η_i and
  /// compare with one bound only. Local.
  /// Source: (26c), (26b), continuous-masing-2001.
  void project_and_sum(std::span<const double> increments, std::span<std::int64_t> units) const;

  /// Returns the arguments that the compiled code receives, whatever the instruction set. Local.
  [[nodiscard]] const KernelArguments& arguments() const { return arguments_; }

 private:
  std::shared_ptr<const std::vector<double>> line_offsets_;  // null if η is read from memory
  KernelArguments arguments_;
  std::array<KernelPass, 2> passes_{};
};

/// Returns the instruction set chosen at run time: "avx512", "avx2" or "baseline". Local.
std::string_view kernel_instruction_set();

}  // namespace masing::slab
