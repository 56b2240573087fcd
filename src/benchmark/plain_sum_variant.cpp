// The kernel's own source once more, in a namespace of its own (MASING_ISA), and with it the same
// inner loop with one sum of doubles over the whole slab: what a plain sum would cost, and nothing
// else changed.
#include "benchmark/plain_sum_variant.hpp"

#include "slab/kernel/kernel_variant.cpp"  // NOLINT(bugprone-suspicious-include)

namespace masing::slab::MASING_ISA {

namespace {

template <Way way, typename Threshold, typename Stiffness>
void plain_pass_this_way(const KernelSlab& slab, const double* increments, double* sums) {
  const Pack increment[2] = {broadcast(increments[0]), broadcast(increments[1])};
  Lanes lanes_of_step[2];
  for (std::int64_t first = 0; first < slab.cells; first += base::block_cells) {
    const std::int64_t left = slab.cells - first;
    pass_block<2, way>(slab.u + first,
                       static_cast<int>(left < base::block_cells ? left : base::block_cells),
                       Threshold(slab, first), Stiffness(slab, first), increment, lanes_of_step);
  }
  for (int step = 0; step < 2; ++step) {
    sums[step] = Stiffness::whole(slab, lanes_of_step[step].tree_sum());
  }
}

template <typename Threshold, typename Stiffness>
void plain_pass(const KernelSlab& slab, const double* increments, double* sums) {
  switch (way_of<2>(increments)) {
    case Way::up:
      return plain_pass_this_way<Way::up, Threshold, Stiffness>(slab, increments, sums);
    case Way::down:
      return plain_pass_this_way<Way::down, Threshold, Stiffness>(slab, increments, sums);
    case Way::either:
      return plain_pass_this_way<Way::either, Threshold, Stiffness>(slab, increments, sums);
  }
}

}  // namespace

const PlainVariant plain_variant = {
    {plain_pass<ReadThreshold, ReadStiffness>, plain_pass<LineThreshold, ConstantStiffness>}};

}  // namespace masing::slab::MASING_ISA
