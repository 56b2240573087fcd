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

/// The cells of one rank: views of the arrays of v, η and k, and formulas that may replace the
/// arrays of η and k. The variable is v = u - c (see Slab); v = u if the thresholds do not differ
/// by direction. The first cell must be the first of a block of base::block_cells cells.
struct SlabView {
  /// The elongations v_i, [P_local].
  std::span<double> u;
  /// η_i, [P_local]; not read if form.threshold has a formula.
  std::span<const double> threshold;
  /// k_i, [P_local]; not read if form.stiffness has a formula.
  std::span<const double> stiffness;
  /// Global index of the first cell.
  std::int64_t first_cell = 0;
  /// The formulas of η and k; those of v0 and c are not used.
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

  /// Adds one or two increments d_j of x, one after the other, to the elongation v of every cell.
  /// After each increment, clamps v to [-η, η] and adds the force of the cells to the integer
  /// units_j:
  ///     v_i ← clamp(v_i + d_j, -η_i, η_i),   units_j += Σ_blocks round(scale · Σ_block k_i v_i).
  /// The cells of a block are summed in a fixed order: in 16 lanes, which are then added pairwise.
  /// Therefore the bits of the sum depend neither on the instruction set nor on the distribution
  /// over ranks. `increments` and `units` have the same size, 1 or 2. The first call must be with
  /// the increment 0, which clamps v at both bounds. Later calls rely on |v_i| ≤ η_i: if all
  /// increments have the same sign, they compare v with one bound only. Local. Source: (26c),
  /// (26b), continuous-masing-2001.
  void project_and_sum(std::span<const double> increments, std::span<std::int64_t> units) const;

  /// Returns the arguments of the compiled code; they are the same for every instruction set.
  /// Local.
  [[nodiscard]] const KernelArguments& arguments() const { return arguments_; }

 private:
  std::shared_ptr<const std::vector<double>> line_offsets_;  // null if η is read from memory
  KernelArguments arguments_;
  std::array<KernelPass, 2> passes_{};
};

/// Returns the instruction set for which the code in use was compiled: "avx512", "avx2" or
/// "baseline". It is chosen at run time. Local.
std::string_view kernel_instruction_set();

}  // namespace masing::slab
