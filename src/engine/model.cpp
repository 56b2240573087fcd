#include "engine/model.hpp"

#include "base/limits.hpp"
#include "base/text.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::engine {

std::span<const Quantity, 4> Model::quantities() const {
  static constexpr Quantity usual[] = {
      {"x", "x"}, {"y", "y"}, {"u", "u"}, {"u_cells", "u at the cells", true}};
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

std::string figure_title(const RunSpec& run) {
  return run.model->title(true) + ", N = " + base::abbreviated(run.time.steps);
}

std::string title(const RunSpec& run) {
  return run.model->title(false) + ", N = " + base::to_text(run.time.steps);
}

std::string cells_text(const slab::Space& space, bool of_figure) {
  const auto* cells = std::get_if<slab::Cells>(&space);
  return cells == nullptr ? (of_figure ? "∞" : "inf")
         : of_figure      ? base::abbreviated(cells->count)
                          : base::to_text(cells->count);
}

double estimated_cost(const RunSpec& run) {
  // Evaluating F and advancing turning points takes about as much time as this number of cells.
  constexpr double rest = 350.0;
  const bool visits_all = run.model->parts(run.method).cells_each > 0.0;
  return static_cast<double>(run.time.steps) *
         (rest + (visits_all ? static_cast<double>(run.model->layout().size) : 0.0));
}

std::string step_advice(const RunSpec& run) {
  return run.method == Method::exact ? "" : run.model->advice(run.time);
}

}  // namespace masing::engine
