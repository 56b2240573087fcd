#include "slab/problem.hpp"

#include "cli/validate.hpp"

namespace masing::slab {

namespace {

/// The reference of a finite P may be a continuum: then 0, all cells, says nothing of its places.
std::int64_t field_points(const cli::Configuration& c) {
  const std::int64_t given = c.field_points.value_or(0);
  return given == 0 && c.cells == cli::infinitely_many ? cli::default_field_points : given;
}

}  // namespace

Problem make_problem(const cli::Configuration& c) {
  return {.stiffness = cli::resolved_function(c.stiffness, 's'),
          .threshold = cli::resolved_function(c.threshold, 's'),
          .initial_u = cli::resolved_function(c.initial_u, 's'),
          .force = cli::driving_function(c),
          .oscillator = {.mass = c.mass, .k0 = c.k0, .x0 = c.x0, .y0 = c.y0},
          .time = {.final_time = c.final_time, .steps = c.steps},
          .cells = c.cells,
          .field_points = field_points(c),
          .rule = c.rule,
          .scheme = c.scheme};
}

double Problem::point(std::int64_t cell) const {
  const double index =
      rule == cli::Rule::right ? static_cast<double>(cell + 1) : static_cast<double>(cell) + 0.5;
  return index / static_cast<double>(field_cells());
}

}  // namespace masing::slab
