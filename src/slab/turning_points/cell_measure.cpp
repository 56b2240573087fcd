#include "slab/turning_points/cell_measure.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace masing::slab {

CellTable::CellTable(std::span<const YieldCell> cells, const ExactScale& scale)
    : nodes_(cells.size() + 2) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    nodes_[i + 1] = {cells[i].threshold, {cells[i].stiffness, 0.0}};
  }
  add_up(scale);
}

CellTable::CellTable(const Profile& all, const ExactScale& scale)
    : nodes_(static_cast<std::size_t>(all.range.size + 2)) {
  for (std::int64_t i = 0; i < all.range.size; ++i) {
    const Element cell = all.element(i);
    nodes_[static_cast<std::size_t>(i + 1)] = {cell.threshold, {cell.stiffness, 0.0}};
  }
  add_up(scale);
}

void CellTable::add_up(const ExactScale& scale) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  nodes_.front() = {-infinity, {}};
  nodes_.back() = {infinity, {}};
  const auto cells = std::span(nodes_).subspan(1, nodes_.size() - 2);
  put_in_order(cells, [](const Node& node) { return node.threshold; });
  // The order within a tie changes only sums that no look-up returns.
  ExactSums sums;
  for (Node& cell : cells) {
    sums += scale.term(cell.sums.stiffness, cell.threshold);
    cell.sums = scale.value(sums);
  }
}

bool begins_at_zero(const Profile& profile) {
  if (profile.form.initial_u) {
    return profile.form.initial_u->first == 0.0;
  }
  return std::ranges::all_of(profile.initial_u, [](double u0) { return u0 == 0.0; });
}

namespace {

/// The CellSets of all cells, as numbers.
class WholeSets {
 public:
  WholeSets(CellSets sets, const ExactScale& scale) : sets_(std::move(sets)), scale_(scale) {}

  [[nodiscard]] OuterSums outer(const Extremes& extremes, int direction, SearchHint& hint) const {
    return outer_sums(sets_.outer(extremes, direction, hint), scale_);
  }
  [[nodiscard]] double growth_to_break(const Extremes& extremes, int direction,
                                       SearchHint& hint) const {
    return sets_.growth_to_break(extremes, direction, hint);
  }

 private:
  CellSets sets_;
  ExactScale scale_;
};

using CellMeasure = TableMeasure<CellTable, WholeSets>;

}  // namespace

std::shared_ptr<const Measure> make_cell_measure(const Profile& all) {
  const ExactScale scale(stiffness_bound(all), force_bound(all), all.range.size);
  if (begins_at_zero(all)) {
    return std::make_shared<const CellMeasure>(CellTable(all, scale));
  }
  CellSets sets(all, scale);
  CellTable threshold(sets.by_threshold(), scale);
  return std::make_shared<const CellMeasure>(std::move(threshold),
                                             WholeSets(std::move(sets), scale));
}

}  // namespace masing::slab
