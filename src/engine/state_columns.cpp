#include "engine/state_columns.hpp"

#include <algorithm>
#include <utility>

#include "parallel/vector.hpp"

namespace masing::engine {

using rheology::GroupSize;

namespace {

/// Returns the rank that stores the mass on which F acts, if the masses are split over several
/// ranks. Returns no value if every rank stores this mass. Collective.
std::optional<int> owner_of(const parallel::Communicator& comm, const rheology::StateLayout& layout,
                            base::CellRange mine) {
  const auto& groups = layout.groups;
  const bool is_element = std::ranges::any_of(groups, [](const rheology::StateGroup& group) {
    return group.name.front() == 'x' && group.size == GroupSize::each;
  });
  if (comm.size() == 1 || !is_element) {
    return std::nullopt;
  }
  const bool has_last = mine.size > 0 && mine.first + mine.size == layout.elements;
  const std::int64_t rank = has_last ? comm.rank() : comm.size();
  return static_cast<int>(parallel::min_over_ranks(comm, rank));
}

}  // namespace

StateColumns::StateColumns(const parallel::Communicator& comm, rheology::StateLayout layout,
                           base::CellRange mine)
    : layout_(std::move(layout)),
      mine_(mine),
      is_whole_(comm.size() == 1),
      mass_columns_(rheology::StateLayout{layout_.groups, mine.size}.mass_columns()),
      owner_(owner_of(comm, layout_, mine)),
      columns_(comm, layout_.size()) {}

parallel::Vector& StateColumns::gather(std::span<const double> state) {
  if (is_whole_) {
    std::ranges::copy(state, columns_.values().begin());
    return columns_;
  }
  std::int64_t column = 0;  // the first column of the group
  std::size_t place = 0;    // the index in `state` at which the group begins
  for (const auto& [name, size, start] : layout_.groups) {
    const bool each = size == GroupSize::each;
    // If every rank stores the column of a group, the first rank writes it.
    const std::int64_t first = column + (each ? mine_.first : 0);
    const auto held = static_cast<std::size_t>(each ? mine_.size : 1);
    const bool writes = each || columns_.range().first == 0;
    parallel::fill_from_ranges(columns_, first, state.subspan(place, writes ? held : 0));
    column += each ? layout_.elements : 1;
    place += held;
  }
  return columns_;
}

void StateColumns::spread(std::span<double> state) const {
  std::int64_t column = 0;
  for (const auto& [name, size, start] : layout_.groups) {
    const bool each = size == GroupSize::each;
    const base::CellRange held =
        each ? base::CellRange{column + mine_.first, mine_.size} : base::CellRange{column, 1};
    parallel::RangeGather gather(columns_, held);
    std::ranges::copy(gather(columns_), state.begin());
    state = state.subspan(static_cast<std::size_t>(held.size));
    column += each ? layout_.elements : 1;
  }
}

const parallel::Vector& LazyField::of(const slab::RememberedElongation& u,
                                      const slab::Profile& profile) {
  if (!field_) {
    field_.emplace(comm_, cells_);
  }
  const std::span<double> values = field_->values();
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    values[static_cast<std::size_t>(i)] = u(profile.element(i));
  }
  return *field_;
}

}  // namespace masing::engine
