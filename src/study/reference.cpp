#include "study/reference.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "study/finest.hpp"

namespace study {

namespace {

std::vector<std::int64_t> counts(const std::vector<options::Level>& levels,
                                 std::int64_t options::Level::*member) {
  std::vector<std::int64_t> values;
  std::ranges::transform(levels, std::back_inserter(values), member);
  return values;
}

/// The finest run: finer in what is refined, alike in what is held fixed.
options::Level finest_level(const options::Configuration& c) {
  const options::Level last = c.levels.back();
  const bool refine_cells = c.refine != options::Refine::steps;
  const bool refine_steps = c.refine != options::Refine::cells;
  return {refine_cells ? finest_count(counts(c.levels, &options::Level::cells)) : last.cells,
          refine_steps ? finest_count(counts(c.levels, &options::Level::steps)) : last.steps};
}

}  // namespace

ReferenceRuns::ReferenceRuns(const parallel::Communicator& comm,
                             const options::Configuration& configuration,
                             std::int64_t field_samples)
    : comm_(comm), configuration_(configuration), field_samples_(field_samples) {
  if (configuration.reference == options::Reference::finest) {
    finest_ = finest_level(configuration);
  }
}

options::Configuration ReferenceRuns::configuration_of(const options::Level& level) const {
  options::Configuration c = at_level(configuration_, finest_.value_or(level));
  switch (configuration_.reference) {
    case options::Reference::exact:
      c.cells = options::infinitely_many;
      c.engine = options::EngineKind::exact;
      break;
    case options::Reference::exact_time:
      c.engine = options::EngineKind::exact;
      break;
    case options::Reference::cells_inf:
      c.cells = options::infinitely_many;
      c.engine = options::EngineKind::memory;
      break;
    default:
      break;
  }
  return c;
}

double ReferenceRuns::self_check() const {
  double largest = 0.0;
  for (const auto& [level, kept] : runs_) {
    largest = std::max(largest, kept.recording->self_check());
  }
  return largest;
}

const Recording* ReferenceRuns::of(const options::Level& level) {
  if (configuration_.reference == options::Reference::successive) {
    return nullptr;
  }
  options::Configuration c = configuration_of(level);
  Watch watch{.stride = 1, .field_samples = field_samples_, .title = "reference"};
  if (finest_) {
    watch.stride = common_stride(c.steps, counts(configuration_.levels, &options::Level::steps));
  } else if (c.engine == options::EngineKind::exact) {
    // Its steps are only where it is looked at: let the field's times be among them, exactly.
    watch.stride = field_samples_ / std::gcd(c.steps, field_samples_);
    c.steps *= watch.stride;
  }
  Run& kept = runs_[{c.cells, c.steps}];
  if (!kept.recording) {
    kept = run(comm_, c, watch);
  }
  return kept.recording.get();
}

}  // namespace study
