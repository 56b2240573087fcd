#include "engine/distributed_measure.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace engine {

namespace {

bool begins_at_zero(const parallel::Communicator& comm, const masing::Profile& profile) {
  std::int64_t moved = masing::begins_at_zero(profile) ? 0 : 1;
  parallel::sum_over_ranks(comm, std::span(&moved, 1));
  return moved == 0;
}

/// (η, u0) of a slab in the order of η.
using OrderedCells = std::vector<std::pair<double, double>>;

OrderedCells ordered_cells(const masing::Profile& profile) {
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
    fault = masing::memory_fault(cell.first, cell.second, after->first, after->second);
  }
  if (fault.empty() && after != own.begin()) {
    const auto& before = *std::prev(after);
    fault = masing::memory_fault(before.first, before.second, cell.first, cell.second);
  }
  return fault;
}

}  // namespace

masing::CellMeasure replicated_measure(const parallel::Communicator& comm,
                                       const masing::Profile& profile) {
  if (comm.size() == 1) {
    return masing::make_cell_measure(profile);
  }
  // The form is the same on every rank, and so is which arrays are gathered.
  masing::Profile all;
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
  return masing::make_cell_measure(all);
}

DistributedMeasure distributed_measure(const parallel::Communicator& comm,
                                       const masing::Profile& profile, std::int64_t cells) {
  std::array<double, 2> bounds{masing::stiffness_bound(profile), masing::force_bound(profile)};
  parallel::max_over_ranks(comm, bounds);
  const masing::ExactScale scale(bounds[0], bounds[1], cells);
  SlabTable threshold(comm, profile, 0, scale);
  if (begins_at_zero(comm, profile)) {
    return DistributedMeasure(std::move(threshold));
  }
  masing::ExactSums initial;
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    initial += scale.term(profile.stiffness_of(i), profile.initial_u_of(i));
  }
  parallel::RankSum sum(comm);
  SlabTable forwards(comm, profile, 1, scale);
  SlabTable backwards(comm, profile, -1, scale);
  return DistributedMeasure(std::move(threshold), {std::move(forwards), std::move(backwards)},
                            scale.value(sum_over_ranks(sum, initial)).force);
}

std::string memory_fault(const parallel::Communicator& comm, const masing::Profile& profile) {
  if (begins_at_zero(comm, profile)) {
    return {};
  }
  // Any two cells must agree. Within a slab neighbours suffice; between slabs each cell is compared
  // with its neighbours on every rank, a part of every slab at a time.
  constexpr std::int64_t part = 1 << 14;
  const OrderedCells own = ordered_cells(profile);
  std::string fault;
  for (std::size_t i = 1; fault.empty() && i < own.size(); ++i) {
    fault = masing::memory_fault(own[i - 1].first, own[i - 1].second, own[i].first, own[i].second);
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

}  // namespace engine
