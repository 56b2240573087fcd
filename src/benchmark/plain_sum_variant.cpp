// The kernel's own source once more, in a namespace of its own (MASING_ISA), and with it the same
// inner loop over the whole slab as one block: what a plain sum would cost, and nothing else
// changed.
#include "benchmark/plain_sum_variant.hpp"

#include "masing/kernel_variant.cpp"  // NOLINT(bugprone-suspicious-include)

namespace masing::MASING_ISA {

namespace {

template <typename Threshold, typename Stiffness>
void plain_pass(const KernelSlab& slab, const double* increments, double* sums) {
  constexpr std::int64_t longest = std::int64_t{1} << 30;  // pass_block counts in int
  const Pack increment[2] = {broadcast(increments[0]), broadcast(increments[1])};
  for (std::int64_t first = 0; first < slab.cells; first += longest) {
    const std::int64_t left = slab.cells - first;
    double part[2];
    pass_block<2>(slab.u + first, static_cast<int>(left < longest ? left : longest),
                  Threshold(slab, first), Stiffness(slab, first), increment, part);
    sums[0] += part[0];
    sums[1] += part[1];
  }
}

}  // namespace

const PlainVariant plain_variant = {
    {plain_pass<ReadThreshold, ReadStiffness>, plain_pass<LineThreshold, ConstantStiffness>}};

}  // namespace masing::MASING_ISA
