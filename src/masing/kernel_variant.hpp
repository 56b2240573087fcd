#pragma once

#include <cstdint>

namespace masing {

/// The kernel's inner function: arrays of `cells` cells, `increments` increments.
using KernelPass = void (*)(double* u, const double* threshold, const double* stiffness,
                            std::int64_t cells, const double* increments, double scale,
                            std::int64_t* units);

/// The passes with one and with two increments for one instruction set.
struct KernelVariant {
  KernelPass one;
  KernelPass two;
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

}  // namespace masing
