#include "engine/slab_table.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "masing/cell_measure.hpp"

namespace engine {

namespace {

using masing::ExactSums;
using masing::Int128;

// Between two stored sums cells are added at the look-up: some 50 ns, little beside an allreduce,
// for a twentieth of the memory.
constexpr std::int64_t group_cells = 32;

// Limbs of 42 bits leave room in 64 for two million ranks.
constexpr int limb_bits = 42;
constexpr Int128 limb_mask = (Int128{1} << limb_bits) - 1;

void split(Int128 value, std::int64_t* limbs) {
  limbs[0] = static_cast<std::int64_t>(value & limb_mask);
  limbs[1] = static_cast<std::int64_t>((value >> limb_bits) & limb_mask);
  limbs[2] = static_cast<std::int64_t>(value >> (2 * limb_bits));
}

Int128 join(const std::int64_t* limbs) {
  constexpr Int128 radix = Int128{1} << limb_bits;
  return (limbs[2] * radix + limbs[1]) * radix + limbs[0];
}

}  // namespace

ExactSums sum_over_ranks(parallel::RankSum& sum, const ExactSums& sums) {
  std::array<std::int64_t, 6> limbs{};
  split(sums.stiffness, limbs.data());
  split(sums.force, limbs.data() + 3);
  sum(limbs);
  return {join(limbs.data()), join(limbs.data() + 3)};
}

SlabTable::SlabTable(const parallel::Communicator& comm, const masing::Profile& profile,
                     int direction, const masing::ExactScale& scale)
    : comm_(&comm),
      sum_(std::make_shared<parallel::RankSum>(comm)),
      scale_(scale),
      cells_(static_cast<std::size_t>(profile.range.size)) {
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    cells_[static_cast<std::size_t>(i)] = {masing::virgin_threshold(profile, direction, i),
                                           profile.stiffness_of(i)};
  }
  const auto before = [](const Cell& a, const Cell& b) { return a.threshold < b.threshold; };
  if (!std::ranges::is_sorted(cells_, before)) {
    std::ranges::sort(cells_, before);
  }
  ExactSums sums;
  group_sums_.reserve(cells_.size() / group_cells + 2);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (i % group_cells == 0) {
      group_sums_.push_back(sums);
    }
    sums += scale_.term(cells_[i].stiffness, cells_[i].threshold);
  }
  group_sums_.push_back(sums);
  total_ = scale_.value(sum_over_ranks(*sum_, sums));
}

std::int64_t SlabTable::passed(double r) const {
  return search_.passed([cells = cells_.data()](std::int64_t i) { return cells[i].threshold; },
                        static_cast<std::int64_t>(cells_.size()), r);
}

ExactSums SlabTable::sum_of_first(std::int64_t cells) const {
  const std::int64_t group = cells / group_cells;
  ExactSums sums = group_sums_[static_cast<std::size_t>(group)];
  for (std::int64_t i = group * group_cells; i < cells; ++i) {
    const Cell& cell = cells_[static_cast<std::size_t>(i)];
    sums += scale_.term(cell.stiffness, cell.threshold);
  }
  return sums;
}

masing::Sums SlabTable::below(double r) const {
  return scale_.value(sum_over_ranks(*sum_, sum_of_first(passed(r))));
}

double SlabTable::next_break(double r) const {
  const auto next = static_cast<std::size_t>(passed(r));
  double nearest =
      next < cells_.size() ? -cells_[next].threshold : -std::numeric_limits<double>::infinity();
  parallel::max_over_ranks(*comm_, std::span(&nearest, 1));
  return -nearest;
}

}  // namespace engine
