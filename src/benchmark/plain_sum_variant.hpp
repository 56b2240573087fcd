#pragma once

#include "slab/kernel/kernel_variant.hpp"

namespace masing::slab {

/// Two increments over a slab and the plain sums of k u after each, for one instruction set.
using PlainPass = void (*)(const KernelSlab& slab, const double* increments, double* sums);

/// [η from the line and k constant].
struct PlainVariant {
  PlainPass passes[2];
};

namespace plain_baseline {
extern const KernelVariant variant;
extern const PlainVariant plain_variant;
}  // namespace plain_baseline
namespace plain_avx2 {
extern const KernelVariant variant;
extern const PlainVariant plain_variant;
}  // namespace plain_avx2
namespace plain_avx512 {
extern const KernelVariant variant;
extern const PlainVariant plain_variant;
}  // namespace plain_avx512

}  // namespace masing::slab
