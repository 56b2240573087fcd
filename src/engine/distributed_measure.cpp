#include "engine/distributed_measure.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "slab/turning_points/cell_measure.hpp"

namespace masing::engine {

namespace {

using slab::ExactSums;
using slab::Int128;

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

SlabTable::SlabTable(const parallel::Communicator& comm, const slab::Profile& profile,
                     int direction, const slab::ExactScale& scale)
    : comm_(&comm),
      sum_(std::make_shared<parallel::RankSum>(comm)),
      scale_(scale),
      cells_(static_cast<std::size_t>(profile.range.size)) {
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    cells_[static_cast<std::size_t>(i)] = {slab::virgin_threshold(profile, direction, i),
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

slab::Sums SlabTable::below(double r) const {
  return scale_.value(sum_over_ranks(*sum_, sum_of_first(passed(r))));
}

double SlabTable::next_break(double r) const {
  const auto next = static_cast<std::size_t>(passed(r));
  double nearest =
      next < cells_.size() ? -cells_[next].threshold : -std::numeric_limits<double>::infinity();
  parallel::max_over_ranks(*comm_, std::span(&nearest, 1));
  return -nearest;
}

namespace {

bool begins_at_zero(const parallel::Communicator& comm, const slab::Profile& profile) {
  std::int64_t moved = slab::begins_at_zero(profile) ? 0 : 1;
  parallel::sum_over_ranks(comm, std::span(&moved, 1));
  return moved == 0;
}

/// (η, u0) of a slab in the order of η.
using OrderedCells = std::vector<std::pair<double, double>>;

OrderedCells ordered_cells(const slab::Profile& profile) {
  OrderedCells cells;
  cells.reserve(static_cast<std::size_t>(profile.range.size));
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    cells.emplace_back(profile.threshold_of(i), profile.initial_u_of(i));
  }
  std::ranges::sort(cells);
  return cells;
}

/// The fault between a cell of any rank and its neighbours, in η, on this one.
std::string fault_beside(const OrderedCells& own, const std::pair<double, double>& cell) {
  std::string fault;
  const auto after = std::ranges::lower_bound(own, cell);
  if (after != own.end()) {
    fault = slab::turning_point_fault(cell.first, cell.second, after->first, after->second);
  }
  if (fault.empty() && after != own.begin()) {
    const auto& before = *std::prev(after);
    fault = slab::turning_point_fault(before.first, before.second, cell.first, cell.second);
  }
  return fault;
}

}  // namespace

slab::CellMeasure replicated_measure(const parallel::Communicator& comm,
                                     const slab::Profile& profile) {
  if (comm.size() == 1) {
    return slab::make_cell_measure(profile);
  }
  // The form is the same on every rank, and so is which arrays are gathered.
  slab::Profile all;
  all.range.size = profile.range.size;
  parallel::sum_over_ranks(comm, std::span(&all.range.size, 1));
  all.form = profile.form;
  if (!all.form.constant_stiffness) {
    all.stiffness = parallel::gather(comm, profile.stiffness);
  }
  if (!all.form.affine_threshold) {
    all.threshold = parallel::gather(comm, profile.threshold);
  }
  if (!all.form.constant_initial_u) {
    all.initial_u = parallel::gather(comm, profile.initial_u);
  }
  return slab::make_cell_measure(all);
}

DistributedMeasure distributed_measure(const parallel::Communicator& comm,
                                       const slab::Profile& profile, std::int64_t cells) {
  std::array<double, 2> bounds{slab::stiffness_bound(profile), slab::force_bound(profile)};
  parallel::max_over_ranks(comm, bounds);
  const slab::ExactScale scale(bounds[0], bounds[1], cells);
  SlabTable threshold(comm, profile, 0, scale);
  if (begins_at_zero(comm, profile)) {
    return DistributedMeasure(std::move(threshold));
  }
  slab::ExactSums initial;
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    initial += scale.term(profile.stiffness_of(i), profile.initial_u_of(i));
  }
  parallel::RankSum sum(comm);
  SlabTable forwards(comm, profile, 1, scale);
  SlabTable backwards(comm, profile, -1, scale);
  return DistributedMeasure(std::move(threshold), {std::move(forwards), std::move(backwards)},
                            scale.value(sum_over_ranks(sum, initial)).force);
}

std::string turning_point_fault(const parallel::Communicator& comm, const slab::Profile& profile) {
  if (begins_at_zero(comm, profile)) {
    return {};
  }
  // Any two cells must agree. Within a slab neighbours suffice; between slabs each cell is compared
  // with its neighbours on every rank, a part of every slab at a time.
  constexpr std::int64_t part = 1 << 14;
  const OrderedCells own = ordered_cells(profile);
  std::string fault;
  for (std::size_t i = 1; fault.empty() && i < own.size(); ++i) {
    fault =
        slab::turning_point_fault(own[i - 1].first, own[i - 1].second, own[i].first, own[i].second);
  }
  const auto size = static_cast<std::int64_t>(own.size());
  const std::int64_t largest = -parallel::min_over_ranks(comm, -size);
  for (std::int64_t first = 0; comm.size() > 1 && first < largest; first += part) {
    std::vector<double> mine;
    for (std::int64_t i = first; i < std::min(first + part, size); ++i) {
      mine.push_back(own[static_cast<std::size_t>(i)].first);
      mine.push_back(own[static_cast<std::size_t>(i)].second);
    }
    const base::AlignedVector all = parallel::gather(comm, mine);
    for (std::size_t i = 0; fault.empty() && i < all.size(); i += 2) {
      fault = fault_beside(own, {all[i], all[i + 1]});
    }
  }
  return parallel::first_text(comm, fault);
}

}  // namespace masing::engine
