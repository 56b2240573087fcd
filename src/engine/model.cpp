#include "engine/model.hpp"

#include "base/limits.hpp"
#include "base/text.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::engine {

std::span<const Quantity, 4> Model::quantities() const {
  static constexpr Quantity usual[] = {{"x", "x"},
                                       {"y", "y"},
                                       {"u", "u", Quantity::Part::everywhere},
                                       {"u_cells", "u at the cells", Quantity::Part::points}};
  return usual;
}

const slab::Slab* slab_of(const RunSpec& run) {
  return run.model->oscillator() != nullptr ? &run.model->slabs().front() : nullptr;
}

const slab::Space* space_of(const RunSpec& run) {
  const auto slabs = run.model->slabs();
  return slabs.empty() ? nullptr : &slabs.front().space;
}

bool has_smooth_cells(const RunSpec& run) {
  const slab::Slab* slab = slab_of(run);
  return slab != nullptr && run.method == Method::memory && slab::has_smooth_cells(*slab);
}

double swept_cells(const RunSpec& run) {
  const slab::Slab* slab = slab_of(run);
  return slab != nullptr && run.method == Method::sweep ? static_cast<double>(slab->field_cells())
                                                        : base::undefined;
}

std::string title(const RunSpec& run, bool of_figure) {
  return run.model->title(of_figure) + ", N = " + base::to_text(run.time.steps);
}

std::string cells_text(const slab::Space& space, bool of_figure) {
  const auto* cells = std::get_if<slab::Cells>(&space);
  return cells != nullptr ? base::to_text(cells->count) : of_figure ? "∞" : "inf";
}

double visited_cells(const RunSpec& run) {
  const Parts parts = run.model->parts(run.method);
  return parts.cells_each * static_cast<double>(parts.count);
}

double estimated_cost(const RunSpec& run) {
  // Evaluating F and advancing turning points takes about as much time as this number of cells.
  constexpr double rest = 350.0;
  return static_cast<double>(run.time.steps) * (rest + visited_cells(run));
}

std::string step_advice(const RunSpec& run) {
  return run.method == Method::exact ? "" : run.model->advice(run.time);
}

}  // namespace masing::engine
