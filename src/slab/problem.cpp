#include "slab/problem.hpp"

namespace masing::slab {

std::int64_t Slab::field_cells() const {
  const auto* cells = std::get_if<Cells>(&space);
  return cells != nullptr ? cells->count : std::get<Continuum>(space).field_points;
}

double Slab::point(std::int64_t cell) const {
  const double index =
      rule == Rule::right ? static_cast<double>(cell + 1) : static_cast<double>(cell) + 0.5;
  return index / static_cast<double>(field_cells());
}

double cell_width(const Space& space) {
  const auto* cells = std::get_if<Cells>(&space);
  return cells != nullptr ? 1.0 / static_cast<double>(cells->count) : 0.0;
}

}  // namespace masing::slab
