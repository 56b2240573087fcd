#pragma once

#include <cstdint>

namespace masing::slab {

/// The arguments of a pass, plain data. A variant reads either `threshold` or the line
/// line_start + line_slope·(first cell of the block) + line_offsets[cell of the block], and either
/// `stiffness` or the constant.
struct KernelArguments {
  double* u;
  const double* threshold;
  const double* stiffness;
  const double* line_offsets;  ///< line_slope·j of the cells j of a block, [block_cells]
  std::int64_t cells;
  std::int64_t first_cell;  ///< global index of the first cell, for the line
  double line_start;
  double line_slope;
  double stiffness_constant;
  double scale;  ///< δs in units of the fixed-point sum
};

/// One pass over a slab with one or two increments.
using KernelPass = void (*)(const KernelArguments& slab, const double* increments,
                            std::int64_t* units);

/// The passes for one instruction set: [increments - 1][η from the line][k constant].
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
