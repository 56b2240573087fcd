#include "study/study_spec.hpp"

#include <algorithm>
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

}  // namespace masing::study
