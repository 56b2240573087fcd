#include "study/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/partition.hpp"
#include "engine/setup.hpp"
#include "parallel/communicator.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::study {

using campaign::Unit;

std::int64_t common_samples(std::int64_t wanted, const std::vector<std::int64_t>& steps,
                            std::int64_t fewest) {
  const std::int64_t common = std::accumulate(steps.begin(), steps.end(), std::int64_t{0},
                                              std::gcd<std::int64_t, std::int64_t>);
  std::int64_t samples = std::min(wanted, common);
  while (common % samples != 0) {
    --samples;
  }
  return samples < std::min(wanted, fewest) ? wanted : samples;
}

namespace {

bool is_continuum(const engine::RunSpec& run) {
  const slab::Slab* slab = engine::slab_of(run);
  return slab != nullptr && slab->is_continuum();
}

/// Returns whether u of a level is represented by a function of s rather than by one number per
/// cell. This is so if the level has more than 2^21 cells, its engine uses turning points, its
/// profile is smooth in pieces, and the reference is a continuum, for which u is known at every s.
bool keeps_functions(const engine::RunSpec& level, const engine::RunSpec& reference) {
  constexpr std::int64_t most_cells = std::int64_t{1} << 21;
  return is_continuum(reference) && !is_continuum(level) &&
         level.method == engine::Method::memory && level.model->layout().size > most_cells &&
         slab::is_smooth_in_pieces(*engine::slab_of(level));
}

/// Adds a comparison for each level, and the runs with which the levels are compared. A run that
/// serves as the reference of several levels is added once. An exact solution does not depend on
/// the number of steps, so one run of it for each P is enough.
void add_references(StudyPlan& plan) {
  const StudySpec& spec = *plan.spec;
  // (δs, number of steps) → index of the run
  std::map<std::pair<double, std::int64_t>, std::size_t> indices;
  for (std::size_t i = 0; i < spec.levels.size(); ++i) {
    Comparison& comparison = plan.comparisons.emplace_back(Comparison{.level = i});
    auto run = run_for(spec.reference, plan.runs[i].run);
    if (!run) {
      if (spec.reference.is_successive && i + 1 < spec.levels.size()) {
        comparison.reference = i + 1;
      }
      continue;
    }
    PlannedRun& level = plan.runs[i];
    level.options.has_function_field = keeps_functions(level.run, *run);
    const bool is_exact = run->method == engine::Method::exact;
    const std::int64_t steps = run->time.steps;
    const auto [entry, is_new] =
        indices.try_emplace({width_of(*run), is_exact ? engine::never : steps}, plan.runs.size());
    comparison.reference = entry->second;
    if (is_new) {
      plan.runs.push_back({*std::move(run), {.title = "reference", .goes_to_times = is_exact}});
    }
    engine::RunSpec& reference = plan.runs[entry->second].run;
    reference.time.steps = std::max(reference.time.steps, steps);
  }
}

/// Adds a run with P = 2^50 and its comparison with the reference at P = ∞; the difference between
/// the two is the round-off error. StudyPlan::comparisons lists the conditions; if one does not
/// hold, nothing is added.
void add_round_off(StudyPlan& plan) {
  const StudySpec& spec = *plan.spec;
  const engine::RunSpec last = plan.runs[spec.levels.size() - 1].run;
  const auto reference = plan.comparisons.front().reference;
  if (spec.refine != Refine::cells || !reference || plan.runs[*reference].options.goes_to_times ||
      !is_continuum(plan.runs[*reference].run) || is_continuum(last) ||
      !engine::has_smooth_cells(last)) {
    return;
  }
  constexpr std::int64_t cells = std::int64_t{1} << 50;
  plan.comparisons.push_back({plan.runs.size(), reference});
  plan.runs.push_back({at_level(spec.run, {slab::Cells{cells}, last.time.steps}),
                       {.title = "round-off", .has_function_field = true}});
}

/// Returns the runs of a batch, as indices in StudyPlan::runs.
std::set<std::size_t> runs_of(const StudyPlan& plan, const Batch& batch) {
  std::set<std::size_t> runs;
  for (const Unit i : batch) {
    const auto& [level, reference] = plan.comparisons[i];
    runs.insert({level, reference.value_or(level)});
  }
  return runs;
}

/// Returns the sum of `number` over the runs of a batch, each counted once.
double sum_over_runs(const StudyPlan& plan, const Batch& batch, double PlannedRun::*number) {
  double sum = 0.0;
  for (const std::size_t run : runs_of(plan, batch)) {
    sum += plan.runs[run].*number;
  }
  return sum;
}

/// Sets PlannedRun::bytes of `planned`, which is run `index` of StudyPlan::runs. Beside the memory
/// of the engine and of the rows of /series, each entry of u on a rank takes:
///     u, if the engine needs less memory than this                          8 B
///     u at a step and between two steps, if u is compared between steps    16 B
///     for each comparison of cells with a function: two elements           64 B
///     for each comparison of cells with cells: u and lists of indices      56 B
void add_fields(const StudyPlan& plan, std::size_t index, PlannedRun& planned) {
  const auto& [run, options, ranks, cost, engine_bytes, all] = planned;
  const auto entries = static_cast<double>(
      options.has_function_field ? 0 : base::local_range(run.model->layout().size, 0, ranks).size);
  // if the time with the index 1 is a step of the run, all times are
  const bool is_between = plan.field_times.at(1, run.time).fraction > 0;
  double bytes = is_between && !options.goes_to_times ? 2 * sizeof(double) : 0.0;
  for (const auto& [level, reference] : plan.comparisons) {
    if (level == index && engine::slab_of(run) != nullptr && reference) {
      const bool is_function = plan.runs[*reference].options.has_function_field;
      bytes += is_function ? 2 * sizeof(slab::Element) : 7 * sizeof(double);
    }
  }
  planned.bytes =
      std::max(engine_bytes, sizeof(double) * entries) + bytes * entries +
      (options.series ? 8.0 * static_cast<double>(io::series_numbers(*options.series)) : 0.0);
}

/// Throws UserError if a batch does not fit into the memory of a rank. The message names the run
/// that needs most.
void require_memory(const StudyPlan& plan, const Batch& batch) {
  const PlannedRun& largest = plan.runs[std::ranges::max(
      runs_of(plan, batch), {}, [&](std::size_t run) { return plan.runs[run].bytes; })];
  engine::MemoryNeed need = largest.run.model->memory(largest.run.method);
  need.extra_bytes += bytes_a_rank(plan, batch) - largest.engine_bytes;
  engine::require_memory(need, largest.ranks, plan.available);
}

}  // namespace

StudyPlan make_plan(const StudySpec& spec, int ranks, double available) {
  StudyPlan plan{.spec = &spec, .ranks = ranks, .available = available};
  const std::size_t count = spec.levels.size();
  for (std::size_t i = 0; i < count; ++i) {
    plan.runs.push_back({at_level(spec.run, spec.levels[i]),
                         {.title = fmt::format("level {} of {}", i + 1, count)}});
  }
  plan.runs.back().options.series = spec.series;
  add_references(plan);
  add_round_off(plan);
  // Between two steps u is known only to first order, which would hide the order of a scheme of
  // second order. For such a scheme, the times are therefore steps of every level, even if there is
  // only one such time. For other schemes, times between steps are used, too, if there are fewer
  // than 16 such times and StudySpec::field_samples allows more.
  const slab::SchemeInfo* scheme = spec.run.model->scheme();
  const std::int64_t fewest = scheme != nullptr && scheme->order > 1 ? 1 : 16;
  plan.field_times =
      SampleTimes(common_samples(spec.field_samples, step_counts(spec.levels), fewest));
  for (PlannedRun& planned : plan.runs) {
    planned.options.has_function_field |= is_continuum(planned.run);
    planned.ranks = engine::is_split(planned.run, ranks) ? ranks : 1;
    planned.cost = engine::estimated_cost(planned.run);
    planned.engine_bytes =
        engine::bytes_a_rank(planned.run.model->memory(planned.run.method), planned.ranks);
  }
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    add_fields(plan, i, plan.runs[i]);
  }
  return plan;
}

Batch StudyPlan::all() const {
  Batch indices(comparisons.size());
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

double bytes_a_rank(const StudyPlan& plan, const Batch& batch) {
  return sum_over_runs(plan, batch, &PlannedRun::bytes);
}

campaign::Packing make_schedule(const StudyPlan& plan, Batch pending) {
  std::ranges::stable_sort(pending, std::greater<>(),
                           [&](Unit i) { return plan.runs[plan.comparisons[i].level].cost; });
  Batch together;
  std::vector<Batch> alone(std::min(static_cast<std::size_t>(plan.ranks), pending.size()));
  for (const Unit i : pending) {
    const bool is_shared =
        plan.ranks == 1 || std::ranges::any_of(runs_of(plan, {i}), [&](std::size_t run) {
          return plan.runs[run].ranks > 1;
        });
    const auto cheapest = std::ranges::min_element(alone, {}, [&](Batch batch) {
      batch.push_back(i);
      return sum_over_runs(plan, batch, &PlannedRun::cost);
    });
    (is_shared ? together : *cheapest).push_back(i);
  }
  campaign::Packing packing;
  for (const Batch& batch : alone) {
    if (!batch.empty()) {
      require_memory(plan, batch);
      packing.alone.push_back(batch);
    }
  }
  if (!together.empty()) {
    require_memory(plan, together);
    packing.together = {together};
  }
  return packing;
}

void check_runs(const parallel::Communicator& comm, const StudySpec& spec) {
  const StudyPlan plan = make_plan(spec, comm.size(), parallel::available_memory(comm));
  make_schedule(plan, plan.all());
  for (const PlannedRun& planned : plan.runs) {
    engine::check_run(comm, planned.run);
  }
}

}  // namespace masing::study
