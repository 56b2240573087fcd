#include "slab/turning_points/cell_sets.hpp"

#include <algorithm>
#include <limits>

namespace masing::slab {

namespace {

double limit_of(const YieldCell& cell, double Extremes::*limit) {
  return yield_limits(cell).*limit;
}

/// Smaller than anything: no cell has passed.
constexpr Extremes none{-std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity()};

}  // namespace

CellSets::CellSets(const Profile& profile, const ExactScale& scale)
    : scale_(scale), extremes_(none) {
  settled_.cells.resize(static_cast<std::size_t>(profile.range.size));
  for (std::int64_t i = 0; i < profile.range.size; ++i) {
    const Element cell = profile.element(i);
    settled_.cells[static_cast<std::size_t>(i)] = {cell.stiffness, cell.threshold, cell.initial_u};
    const ExactSums initial = scale_.term(cell.stiffness, cell.initial_u);
    never_ += initial.stiffness;
    other_force_ += initial.force;
  }
  up_.cells = down_.cells = settled_.cells;
  const auto order = [](List& list, double Extremes::*limit) {
    put_in_order(std::span(list.cells),
                 [limit](const YieldCell& cell) { return limit_of(cell, limit); });
  };
  order(settled_, &Extremes::span);
  order(up_, &Extremes::up);
  order(down_, &Extremes::down);
}

void CellSets::transfer(const YieldCell& cell, YieldSet from, YieldSet to) const {
  if (from == to) {
    return;
  }
  const ExactSums yielded = scale_.term(cell.stiffness, cell.threshold);
  const auto add = [&](YieldSet set, int sign) {
    switch (set) {
      case YieldSet::settled:
        settled_force_ += sign * yielded.force;
        break;
      case YieldSet::up:
        one_way_[0] += sign * yielded.stiffness;
        other_force_ += sign * yielded.force;
        break;
      case YieldSet::down:
        one_way_[1] += sign * yielded.stiffness;
        other_force_ -= sign * yielded.force;
        break;
      case YieldSet::never:
        never_ += sign * yielded.stiffness;
        other_force_ += sign * scale_.term(cell.stiffness, cell.initial_u).force;
        break;
    }
  };
  add(from, -1);
  add(to, 1);
}

template <double Extremes::*limit>
void CellSets::move(const List& list, const Extremes& to) const {
  const double extreme = to.*limit;
  const auto change = [&](const YieldCell& cell, double before, double after) {
    Extremes extremes = extremes_;
    extremes.*limit = before;
    const YieldSet from = yield_set(cell, extremes);
    extremes.*limit = after;
    transfer(cell, from, yield_set(cell, extremes));
  };
  const double before = extremes_.*limit;
  const auto size = static_cast<std::int64_t>(list.cells.size());
  const auto at = [&](std::int64_t i) -> const YieldCell& {
    return list.cells[static_cast<std::size_t>(i)];
  };
  for (; list.passed < size && limit_of(at(list.passed), limit) <= extreme; ++list.passed) {
    change(at(list.passed), before, extreme);
  }
  for (; list.passed > 0 && limit_of(at(list.passed - 1), limit) > extreme; --list.passed) {
    change(at(list.passed - 1), before, extreme);
  }
  extremes_.*limit = extreme;
}

ExactOuterSums CellSets::outer(const Extremes& extremes, int direction) const {
  move<&Extremes::up>(up_, extremes);
  move<&Extremes::down>(down_, extremes);
  move<&Extremes::span>(settled_, extremes);
  return {.opposite = {one_way_[direction > 0 ? 1 : 0], other_force_ + direction * settled_force_},
          .never = {never_, 0}};
}

double CellSets::growth_to_break(const Extremes& extremes, int direction) const {
  (void)outer(extremes, direction);
  double growth = std::numeric_limits<double>::infinity();
  const auto look_at = [&](const List& list, double Extremes::*limit) {
    if (const auto next = static_cast<std::size_t>(list.passed); next < list.cells.size()) {
      growth = std::min(growth, limit_of(list.cells[next], limit) - extremes.*limit);
    }
  };
  if (direction > 0) {
    look_at(up_, &Extremes::up);
  } else {
    look_at(down_, &Extremes::down);
  }
  look_at(settled_, &Extremes::span);
  return growth;
}

}  // namespace masing::slab
