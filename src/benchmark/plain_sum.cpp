#include "benchmark/plain_sum.hpp"

#include "benchmark/plain_sum_variant.hpp"

namespace benchmark {

namespace {

const masing::PlainVariant& chosen() {
#if defined(__x86_64__)
  if (masing::kernel_instruction_set() == "avx512") {
    return masing::plain_avx512::plain_variant;
  }
  if (masing::kernel_instruction_set() == "avx2") {
    return masing::plain_avx2::plain_variant;
  }
#endif
  return masing::plain_baseline::plain_variant;
}

}  // namespace

std::array<double, 2> project_and_sum_plainly(const masing::SlabKernel& kernel,
                                              const std::array<double, 2>& increments) {
  const bool from_memory = kernel.arrays().line_offsets == nullptr;
  std::array<double, 2> sums{};
  chosen().passes[from_memory ? 0 : 1](kernel.arrays(), increments.data(), sums.data());
  return sums;
}

}  // namespace benchmark
