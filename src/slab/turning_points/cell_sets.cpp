#include "slab/turning_points/cell_sets.hpp"

#include <algorithm>
#include <limits>

namespace masing::slab {

namespace {

constexpr std::array limit_of{&Extremes::up, &Extremes::down, &Extremes::span};

}  // namespace

CellSets::CellSets(const Profile& profile, const ExactScale& scale) : scale_(scale) {
  std::vector<YieldCell>& cells = lists_.front();
  cells.resize(static_cast<std::size_t>(profile.range.size));
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    const Element cell = profile.element(i);
    cells[static_cast<std::size_t>(i)] = {cell.stiffness, cell.threshold, cell.initial_u};
    const ExactSums initial = scale_.term(cell.stiffness, cell.initial_u);
    start_.never += initial.stiffness;
    start_.other_force += initial.force;
  }
  lists_[1] = lists_[2] = cells;
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    put_in_order(std::span(lists_[i]), [limit = limit_of[i]](const YieldCell& cell) {
      return yield_limits(cell).*limit;
    });
  }
}

void CellSets::transfer(const YieldCell& cell, YieldSet from, YieldSet to, CellMarks& marks) const {
  if (from == to) {
    return;
  }
  const ExactSums yielded = scale_.term(cell.stiffness, cell.threshold);
  const auto add = [&](YieldSet set, int sign) {
    switch (set) {
      case YieldSet::settled:
        marks.settled_force += sign * yielded.force;
        break;
      case YieldSet::up:
        marks.one_way[0] += sign * yielded.stiffness;
        marks.other_force += sign * yielded.force;
        break;
      case YieldSet::down:
        marks.one_way[1] += sign * yielded.stiffness;
        marks.other_force -= sign * yielded.force;
        break;
      case YieldSet::never:
        marks.never += sign * yielded.stiffness;
        marks.other_force += sign * scale_.term(cell.stiffness, cell.initial_u).force;
        break;
    }
  };
  add(from, -1);
  add(to, 1);
}

void CellSets::move(std::size_t list, const Extremes& to, CellMarks& marks) const {
  const auto limit = limit_of[list];
  const double extreme = to.*limit;
  const double before = marks.extremes.*limit;
  const std::vector<YieldCell>& cells = lists_[list];
  auto passed = static_cast<std::size_t>(marks.passed[list]);
  const auto change = [&](const YieldCell& cell) {
    Extremes extremes = marks.extremes;
    extremes.*limit = before;
    const YieldSet from = yield_set(cell, extremes);
    extremes.*limit = extreme;
    transfer(cell, from, yield_set(cell, extremes), marks);
  };
  for (; passed < cells.size() && yield_limits(cells[passed]).*limit <= extreme; ++passed) {
    change(cells[passed]);
  }
  for (; passed > 0 && yield_limits(cells[passed - 1]).*limit > extreme; --passed) {
    change(cells[passed - 1]);
  }
  marks.passed[list] = static_cast<std::int64_t>(passed);
  marks.extremes.*limit = extreme;
}

ExactOuterSums CellSets::outer(const Extremes& extremes, int direction, SearchHint& hint) const {
  CellMarks& marks = hint.marks ? *hint.marks : hint.marks.emplace(start_);
  for (std::size_t list = 0; list < lists_.size(); ++list) {
    move(list, extremes, marks);
  }
  return {.opposite = {marks.one_way[direction > 0 ? 1 : 0],
                       marks.other_force + direction * marks.settled_force},
          .never = {marks.never, 0}};
}

double CellSets::growth_to_break(const Extremes& extremes, int direction, SearchHint& hint) const {
  (void)outer(extremes, direction, hint);
  double growth = std::numeric_limits<double>::infinity();
  for (const std::size_t list : {direction > 0 ? 0 : 1, 2}) {
    const auto next = static_cast<std::size_t>(hint.marks->passed[list]);
    if (next < lists_[list].size()) {
      growth = std::min(
          growth, yield_limits(lists_[list][next]).*limit_of[list] - extremes.*limit_of[list]);
    }
  }
  return growth;
}

}  // namespace masing::slab
