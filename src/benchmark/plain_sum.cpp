#include "benchmark/plain_sum.hpp"

#include <cassert>

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

std::array<double, 2> project_and_sum_plainly(const masing::Slab& slab,
                                              const std::array<double, 2>& increments) {
  const bool line = slab.form.affine_threshold.has_value();
  assert(line == slab.form.constant_stiffness.has_value());
  const masing::KernelSlab arrays = masing::kernel_slab(slab, 1.0);
  std::array<double, 2> sums{};
  chosen().passes[line ? 1 : 0](arrays, increments.data(), sums.data());
  return sums;
}

}  // namespace benchmark
