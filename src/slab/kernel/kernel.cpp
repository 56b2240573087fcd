#include "slab/kernel/kernel.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/partition.hpp"

namespace masing::slab {

namespace {

/// The compiled code for one instruction set, and the name of the set.
struct Choice {
  KernelVariant variant;
  std::string_view name;
};

/// Returns the code for the largest instruction set that the processor supports.
Choice choose() {
#if defined(__x86_64__)
  // The code is compiled with -march=x86-64-v3 and -march=x86-64-v4. The newest instruction sets of
  // these options are tested here. The other ones, such as F16C, LZCNT and MOVBE, are assumed to be
  // available on every processor with AVX2.
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

/// Returns the code for this processor; the first call chooses it.
const Choice& chosen() {
  static const Choice choice = choose();
  return choice;
}

/// Returns slope·j for the indices j of the cells in a block, where `slope` belongs to the formula
/// of η. Returns null if η is read from memory.
std::shared_ptr<const std::vector<double>> line_offsets(const SlabView& slab) {
  if (!slab.form.threshold) {
    return nullptr;
  }
  std::vector<double> offsets(std::min<std::size_t>(slab.u.size(), base::block_cells));
  for (std::size_t j = 0; j < offsets.size(); ++j) {
    offsets[j] = slab.form.threshold->slope * static_cast<double>(j);
  }
  return std::make_shared<const std::vector<double>>(std::move(offsets));
}

}  // namespace

SlabKernel::SlabKernel(const SlabView& slab, double scale)
    : line_offsets_(line_offsets(slab)),
      arguments_{.u = slab.u.data(),
                 .threshold = slab.threshold.data(),
                 .stiffness = slab.stiffness.data(),
                 .line_offsets = line_offsets_ ? line_offsets_->data() : nullptr,
                 .cells = static_cast<std::int64_t>(slab.u.size()),
                 .first_cell = slab.first_cell,
                 .line_start = slab.form.threshold ? slab.form.threshold->first : 0.0,
                 .line_slope = slab.form.threshold ? slab.form.threshold->slope : 0.0,
                 .stiffness_constant = slab.form.stiffness.value_or(AffineFormula{}).first,
                 .scale = scale} {
  const bool line = slab.form.threshold.has_value();
  const bool constant = slab.form.stiffness.has_value();
  assert(line || slab.threshold.size() == slab.u.size());
  assert(constant ? slab.form.stiffness->slope == 0.0 : slab.stiffness.size() == slab.u.size());
  assert(slab.u.empty() || slab.first_cell % base::block_cells == 0);
  passes_ = {chosen().variant.passes[0][line][constant],
             chosen().variant.passes[1][line][constant]};
}

void SlabKernel::project_and_sum(std::span<const double> increments,
                                 std::span<std::int64_t> units) const {
  assert(increments.size() == units.size() && (units.size() == 1 || units.size() == 2));
  passes_[units.size() - 1](arguments_, increments.data(), units.data());
}

std::string_view kernel_instruction_set() {
  return chosen().name;
}

}  // namespace masing::slab
