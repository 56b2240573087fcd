#pragma once

#include <cstdint>

namespace masing::slab {

/// The arguments of a pass as plain data; a pass visits every cell of one rank once. The code reads
/// η from the array `threshold` or computes it as line_start + line_slope·(global index of the
/// first cell of the block) + line_offsets[index in the block]. It reads k from the array
/// `stiffness` or uses `stiffness_constant`.
struct KernelArguments {
  /// The elongations v = u - c (see Slab), [cells].
  double* u;
  const double* threshold;
  const double* stiffness;
  const double* line_offsets;  ///< line_slope·j, j = 0, 1, …, [min(cells, block_cells)]
  std::int64_t cells;
  std::int64_t first_cell;  ///< the global index of the first cell, used in the formula of η
  double line_start;
  double line_slope;
  double stiffness_constant;
  double scale;  ///< δs divided by the unit of the integer sum
};

/// A function that moves all cells by one or two increments in one pass, and adds the internal
/// force after each increment to `units`, as SlabKernel::project_and_sum() does.
using KernelPass = void (*)(const KernelArguments& slab, const double* increments,
                            std::int64_t* units);

/// The passes compiled for one instruction set, indexed by [number of increments - 1][whether η is
/// given by a formula][whether k is constant].
struct KernelVariant {
  KernelPass passes[2][2][2];
};

namespace baseline {
extern const KernelVariant variant;
}
namespace avx2 {
extern const KernelVariant variant;
}
namespace avx512 {
extern const KernelVariant variant;
}

}  // namespace masing::slab
