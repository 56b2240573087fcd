#include "masing/kernel.hpp"

#include <cassert>

#include "masing/kernel_variant.hpp"

namespace masing {

namespace {

struct Choice {
  KernelVariant variant;
  std::string_view name;
};

Choice choose() {
#if defined(__x86_64__)
  // What -march=x86-64-v3 and -v4 may use.
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (v4) {
    return {avx512::variant, "avx512"};
  }
  if (v3) {
    return {avx2::variant, "avx2"};
  }
#endif
  return {baseline::variant, "baseline"};
}

const Choice& chosen() {
  static const Choice choice = choose();
  return choice;
}

}  // namespace

KernelSlab kernel_slab(const Slab& slab, double scale) {
  const auto affine = slab.form.affine_threshold.value_or(ProfileForm::Affine{});
  return {.u = slab.u.data(),
          .threshold = slab.threshold.data(),
          .stiffness = slab.stiffness.data(),
          .cells = static_cast<std::int64_t>(slab.u.size()),
          .first_cell = slab.first_cell,
          .threshold_first = affine.first,
          .threshold_slope = affine.slope,
          .stiffness_constant = slab.form.constant_stiffness.value_or(0.0),
          .scale = scale};
}

void project_and_sum(const Slab& slab, std::span<const double> increments, double scale,
                     std::span<std::int64_t> units) {
  assert(increments.size() == units.size() && (units.size() == 1 || units.size() == 2));
  const bool line = slab.form.affine_threshold.has_value();
  const bool constant = slab.form.constant_stiffness.has_value();
  assert(line || slab.threshold.size() == slab.u.size());
  assert(constant || slab.stiffness.size() == slab.u.size());
  const KernelSlab arrays = kernel_slab(slab, scale);
  const KernelPass pass = chosen().variant.passes[increments.size() - 1][line][constant];
  pass(arrays, increments.data(), units.data());
}

std::string_view kernel_instruction_set() {
  return chosen().name;
}

}  // namespace masing
