#include "study/plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/memory_need.hpp"
#include "parallel/available_memory.hpp"
#include "slab/turning_points/smooth_cells.hpp"
#include "study/reference.hpp"
#include "study/schedule.hpp"

namespace masing::study {

std::int64_t common_samples(std::int64_t wanted, const std::vector<std::int64_t>& steps,
                            std::int64_t fewest) {
  std::int64_t common = 0;
  for (const std::int64_t count : steps) {
    common = std::gcd(common, count);
  }
  std::int64_t samples = std::min(wanted, common);
  while (common % samples != 0) {
    --samples;
  }
  return samples < std::min(wanted, fewest) ? wanted : samples;
}

std::int64_t field_samples(const StudySpec& spec) {
  // Between steps u is known to first order only, which would hide a scheme of second order.
  const auto* masing = std::get_if<engine::Masing>(&spec.run.model);
  const bool is_second_order = masing != nullptr && slab::info(masing->scheme).order > 1;
  return is_second_order ? common_samples(spec.field_samples, step_counts(spec.levels), 1)
                         : common_samples(spec.field_samples, step_counts(spec.levels));
}

namespace {

bool is_continuum(const engine::RunSpec& run) {
  const slab::Slab* slab = engine::slab_of(run);
  return slab != nullptr && slab->is_continuum();
}

/// Whether u of a level is kept as functions: of more cells than a few fields could hold, by
/// turning points, against a reference that knows u at every s.
bool keeps_functions(const engine::RunSpec& level, const engine::RunSpec& reference) {
  constexpr std::int64_t most_cells = std::int64_t{1} << 21;
  const auto* masing = std::get_if<engine::Masing>(&level.model);
  const bool by_turning_points =
      masing == nullptr || masing->method == engine::Method::turning_points;
  return is_continuum(reference) && !is_continuum(level) && by_turning_points &&
         engine::field_size(level) > most_cells &&
         slab::is_smooth_in_pieces(*engine::slab_of(level));
}

/// The place of the run a level is measured against, which is added where it is not there: of the
/// exact solution, whatever its steps, there is one for each P.
std::size_t reference_index(StudyPlan& plan, engine::RunSpec run) {
  const bool is_exact = engine::is_exact(run);
  const auto is_same = [&](const PlannedRun& other) {
    const slab::Slab* here = engine::slab_of(run);
    const slab::Slab* there = engine::slab_of(other.run);
    const bool same_space = here == nullptr || cells_text(here->space) == cells_text(there->space);
    return same_space && (is_exact || other.run.time.steps == run.time.steps);
  };
  const auto first = plan.runs.begin() + std::ssize(plan.spec->levels);
  const auto found = std::find_if(first, plan.runs.end(), is_same);
  const auto index = static_cast<std::size_t>(found - plan.runs.begin());
  if (found != plan.runs.end()) {
    found->run.time.steps = std::max(found->run.time.steps, run.time.steps);
  } else {
    const bool is_function = is_continuum(run);
    plan.runs.push_back(
        {std::move(run),
         {.title = "reference", .has_function_field = is_function, .goes_to_times = is_exact}});
  }
  return index;
}

/// Adds the run of many more cells than the levels', where all are measured against one at P = ∞.
void add_round_off(StudyPlan& plan) {
  const StudySpec& spec = *plan.spec;
  const engine::RunSpec last = plan.runs[spec.levels.size() - 1].run;
  const auto reference = plan.comparisons.front().reference;
  if (spec.refine != Refine::cells || !reference || plan.runs[*reference].form.goes_to_times ||
      !is_continuum(plan.runs[*reference].run) || is_continuum(last) ||
      !engine::has_smooth_cells(last)) {
    return;
  }
  constexpr std::int64_t cells = std::int64_t{1} << 50;
  plan.comparisons.push_back({plan.runs.size(), reference});
  plan.runs.push_back({at_level(spec.run, {slab::Cells{cells}, last.time.steps}),
                       {.title = "round-off", .has_function_field = true}});
}

}  // namespace

StudyPlan make_plan(const StudySpec& spec, const FileReference* file, int ranks, double available) {
  StudyPlan plan{.spec = &spec, .ranks = ranks, .available = available};
  const std::size_t count = spec.levels.size();
  for (std::size_t i = 0; i < count; ++i) {
    engine::RunSpec level = at_level(spec.run, spec.levels[i]);
    const bool is_function = is_continuum(level);
    plan.runs.push_back(
        {std::move(level),
         {.title = "level " + std::to_string(i + 1) + " of " + std::to_string(count),
          .has_function_field = is_function}});
  }
  plan.runs[count - 1].form.series = spec.series;
  for (std::size_t i = 0; i < count; ++i) {
    Comparison comparison{.level = i};
    if (auto run = run_for(spec.reference, plan.runs[i].run)) {
      RunForm& form = plan.runs[i].form;
      form.has_function_field = form.has_function_field || keeps_functions(plan.runs[i].run, *run);
      comparison.reference = reference_index(plan, *std::move(run));
    } else if (spec.reference.is_successive && i + 1 < count) {
      comparison.reference = i + 1;
    }
    plan.comparisons.push_back(comparison);
  }
  add_round_off(plan);
  if (file != nullptr) {
    plan.field_times = file->field_times();
    plan.first_field = 0;
  } else {
    plan.field_times = SampleTimes(field_samples(spec));
  }
  for (PlannedRun& planned : plan.runs) {
    planned.ranks = engine::is_split(planned.run, ranks, available) ? ranks : 1;
    planned.seconds = estimated_seconds(planned.run, planned.ranks);
    planned.bytes = run_bytes(planned);
  }
  return plan;
}

StudyPlan make_plan(const parallel::Communicator& comm, const StudySpec& spec) {
  std::optional<FileReference> file;
  if (spec.reference.file) {
    file.emplace(comm, spec);
  }
  return make_plan(spec, file ? &*file : nullptr, comm.size(), parallel::available_memory(comm));
}

}  // namespace masing::study
