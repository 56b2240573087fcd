#include "benchmark/plain_sum.hpp"

#include "benchmark/plain_sum_variant.hpp"

namespace masing::benchmark {

namespace {

const slab::PlainVariant& chosen() {
#if defined(__x86_64__)
  if (slab::kernel_instruction_set() == "avx512") {
    return slab::plain_avx512::plain_variant;
  }
  if (slab::kernel_instruction_set() == "avx2") {
    return slab::plain_avx2::plain_variant;
  }
#endif
  return slab::plain_baseline::plain_variant;
}

}  // namespace

std::array<double, 2> project_and_sum_plainly(const slab::SlabKernel& kernel,
                                              const std::array<double, 2>& increments) {
  const bool from_memory = kernel.arrays().line_offsets == nullptr;
  std::array<double, 2> sums{};
  chosen().passes[from_memory ? 0 : 1](kernel.arrays(), increments.data(), sums.data());
  return sums;
}

}  // namespace masing::benchmark
