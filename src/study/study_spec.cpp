#include "study/study_spec.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.hpp"

namespace masing::study {

std::vector<std::int64_t> step_counts(const std::vector<Level>& levels) {
  std::vector<std::int64_t> counts;
  std::ranges::transform(levels, std::back_inserter(counts), &Level::steps);
  return counts;
}

std::string cells_text(const slab::Space& space) {
  const auto* cells = std::get_if<slab::Cells>(&space);
  return cells == nullptr ? "inf" : base::to_text(cells->count);
}

engine::RunSpec at_level(engine::RunSpec run, const Level& level) {
  if (slab::Slab* slab = engine::slab_of(run)) {
    slab->space = level.space;
  }
  run.time.steps = level.steps;
  return run;
}

namespace {

/// Whether u is the same for all s at any time.
bool is_uniform(const slab::Slab& slab) {
  return slab.threshold.is_constant() && slab.shift.is_constant() && slab.initial_u.is_constant();
}

/// Whether f(0) = f(1) but for rounding.
bool has_equal_ends(const base::Function& f) {
  constexpr double alike = 1e-12;
  const double scale = std::max({std::abs(f(0.0)), std::abs(f(0.3)), std::abs(f(0.6))});
  return std::abs(f(0.0) - f(1.0)) <= alike * scale;
}

/// Whether k u is the same at s = 0 and s = 1 at any time.
bool has_equal_ends(const slab::Slab& slab) {
  return has_equal_ends(slab.stiffness) && has_equal_ends(slab.threshold) &&
         has_equal_ends(slab.shift) && has_equal_ends(slab.initial_u);
}

}  // namespace

double promised_order(const engine::Masing& model, Refine refine, const std::string& quantity) {
  const slab::Slab& slab = model.slab;
  const bool is_second = slab.rule == slab::Rule::midpoint || has_equal_ends(slab);
  const double in_space = is_second && (quantity != "u" || is_uniform(slab)) ? 2.0 : 1.0;
  const double in_time = slab::info(model.scheme).order;
  switch (refine) {
    case Refine::steps:
      return in_time;
    case Refine::cells:
      return in_space;
    default:
      return std::min(in_space, in_time);
  }
}

}  // namespace masing::study
