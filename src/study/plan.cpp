#include "study/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/partition.hpp"
#include "engine/setup.hpp"
#include "io/progress.hpp"
#include "parallel/session.hpp"
#include "slab/turning_points/interval_sets.hpp"
#include "study/reference.hpp"

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

namespace {

/// At how many times the fields of a study are compared.
std::int64_t field_samples(const StudySpec& spec) {
  // Between steps u is known to first order only, which would hide a scheme of second order.
  const auto* masing = std::get_if<engine::Masing>(&spec.run.model);
  const bool is_second_order = masing != nullptr && slab::info(masing->scheme).order > 1;
  constexpr std::int64_t fewest = 16;
  return common_samples(spec.field_samples, step_counts(spec.levels), is_second_order ? 1 : fewest);
}

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

/// Adds the runs that levels are measured against, each once: of the exact solution, whatever the
/// steps, there is one for each P.
void add_references(StudyPlan& plan) {
  const StudySpec& spec = *plan.spec;
  std::map<std::pair<double, std::int64_t>, std::size_t> indices;  // by δs and steps
  for (std::size_t i = 0; i < spec.levels.size(); ++i) {
    Comparison& comparison = plan.comparisons.emplace_back(Comparison{.level = i});
    auto run = run_for(spec.reference, plan.runs[i].run);
    if (!run) {
      if (spec.reference.is_successive && i + 1 < spec.levels.size()) {
        comparison.reference = i + 1;
      }
      continue;
    }
    RunForm& form = plan.runs[i].form;
    form.has_function_field = form.has_function_field || keeps_functions(plan.runs[i].run, *run);
    const slab::Slab* slab = engine::slab_of(*run);
    const bool is_exact = engine::is_exact(*run);
    const std::int64_t steps = run->time.steps;
    const auto [found, is_new] = indices.try_emplace(
        {slab == nullptr ? 0.0 : slab::cell_width(slab->space), is_exact ? engine::never : steps},
        plan.runs.size());
    comparison.reference = found->second;
    if (is_new) {
      const bool is_function = is_continuum(*run);
      plan.runs.push_back(
          {*std::move(run),
           {.title = "reference", .has_function_field = is_function, .goes_to_times = is_exact}});
    }
    engine::RunSpec& reference = plan.runs[found->second].run;
    reference.time.steps = std::max(reference.time.steps, steps);
  }
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

// Of a machine of today; a factor of two more or less changes hardly any schedule.
constexpr double seconds_per_update = 0.2e-9;
constexpr double seconds_per_column = 2e-9;
constexpr double reductions_per_step = 6;
constexpr double seconds_per_allreduce = 1e-6;
constexpr double seconds_per_turning_point_step = 20e-9;
constexpr double seconds_per_smooth_step = 1e-6;
constexpr double seconds_per_exact_step = 1e-6;
constexpr double seconds_per_exact_column = 30e-9;
constexpr double seconds_per_event = 3e-6;
constexpr double events_per_cell_and_time = 0.16;
constexpr double seconds_per_force = 50e-9;

using Runs = std::set<std::size_t>;

/// What one more comparison costs where some runs are there.
double cost_beside(const Runs& there, const StudyPlan& plan, std::size_t comparison,
                   double PlannedRun::*cost) {
  const auto& [level, reference] = plan.comparisons[comparison];
  const auto added = [&](std::size_t run) {
    return there.contains(run) ? 0.0 : plan.runs[run].*cost;
  };
  return added(level) + (reference ? added(*reference) : 0.0);
}

void insert(Runs& runs, const Comparison& comparison) {
  runs.insert({comparison.level, comparison.reference.value_or(comparison.level)});
}

/// Sum over the runs of some comparisons, each once.
double total(const StudyPlan& plan, const Batch& batch, double PlannedRun::*cost) {
  Runs runs;
  double sum = 0.0;
  for (const std::size_t comparison : batch) {
    sum += cost_beside(runs, plan, comparison, cost);
    insert(runs, plan.comparisons[comparison]);
  }
  return sum;
}

/// Of the engine of a run.
double engine_bytes(const PlannedRun& planned) {
  return engine::bytes_a_rank(engine::memory_need(planned.run, planned.ranks));
}

/// Bytes a rank of a run, before its profile is known, with what is kept beside: u at a step and
/// between two; of a comparison with cells what the rank needs of them, with a continuum k, η, u0
/// and c at the ends and the points of its cells.
double run_bytes(const PlannedRun& planned) {
  const RunForm& form = planned.form;
  constexpr double of_slab = 2 * sizeof(slab::Element);
  const double entry =
      form.has_function_field
          ? 0.0
          : 3 * sizeof(double) + (engine::slab_of(planned.run) != nullptr ? of_slab : 0.0);
  const auto entries = base::local_range(engine::field_size(planned.run), 0, planned.ranks).size;
  return engine_bytes(planned) + entry * static_cast<double>(entries) +
         (form.series ? 8.0 * static_cast<double>(io::series_numbers(*form.series)) : 0.0);
}

/// Throws UserError of the larger run where a comparison does not fit.
void require_memory(const StudyPlan& plan, std::size_t comparison) {
  const auto& [level, reference] = plan.comparisons[comparison];
  const PlannedRun& one = plan.runs[level];
  const PlannedRun& other = plan.runs[reference.value_or(level)];
  const PlannedRun& larger = one.bytes < other.bytes ? other : one;
  const double beside = bytes_a_rank(plan, {comparison}) - engine_bytes(larger);
  if (const auto found = engine::memory_shortage(
          engine::memory_need(larger.run, larger.ranks, beside), plan.available)) {
    throw *found;
  }
}

/// `comparisons` in batches that fit, those with one reference together.
std::vector<Batch> batches_of(const StudyPlan& plan, Batch comparisons) {
  std::ranges::stable_sort(comparisons, {}, [&](std::size_t i) {
    return plan.comparisons[i].reference.value_or(plan.comparisons[i].level);
  });
  std::vector<Batch> batches;
  Runs runs;
  double bytes = 0.0;
  for (const std::size_t comparison : comparisons) {
    bytes += cost_beside(runs, plan, comparison, &PlannedRun::bytes);
    if (batches.empty() || bytes > plan.available) {
      require_memory(plan, comparison);
      batches.emplace_back();
      runs.clear();
      bytes = cost_beside(runs, plan, comparison, &PlannedRun::bytes);
    }
    insert(runs, plan.comparisons[comparison]);
    batches.back().push_back(comparison);
  }
  return batches;
}

/// `comparisons` to ranks, the longest first.
std::vector<Batch> dealt(const StudyPlan& plan, Batch comparisons) {
  std::ranges::stable_sort(comparisons, std::greater<>(), [&](std::size_t i) {
    return plan.runs[plan.comparisons[i].level].seconds;
  });
  std::vector<Batch> shares(static_cast<std::size_t>(plan.ranks));
  std::vector<Runs> runs(shares.size());
  std::vector<double> ends(shares.size(), 0.0);
  for (const std::size_t comparison : comparisons) {
    std::vector<double> later = ends;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
      later[rank] += cost_beside(runs[rank], plan, comparison, &PlannedRun::seconds);
    }
    const auto first = static_cast<std::size_t>(std::ranges::min_element(later) - later.begin());
    ends[first] = later[first];
    shares[first].push_back(comparison);
    insert(runs[first], plan.comparisons[comparison]);
  }
  return shares;
}

}  // namespace

double estimated_seconds(const engine::RunSpec& run, int ranks) {
  const auto steps = static_cast<double>(run.time.steps);
  const double forcing = steps * seconds_per_force;
  const double hops = std::log2(static_cast<double>(ranks));
  const auto largest_part = [&run](int parts) {
    return static_cast<double>(base::local_range(engine::field_size(run), 0, parts).size);
  };
  if (const auto* model = std::get_if<rheology::ModelSpec>(&run.model)) {
    if (engine::is_exact(run)) {
      return forcing + steps * largest_part(1) * seconds_per_exact_column;
    }
    const bool split = model->work() == rheology::Work::split;
    return forcing + steps * (largest_part(split ? ranks : 1) * seconds_per_column +
                              (split ? hops : 0.0) * reductions_per_step * seconds_per_allreduce);
  }
  const auto* masing = std::get_if<engine::Masing>(&run.model);
  if (masing == nullptr || masing->method == engine::Method::turning_points) {
    return forcing + steps * (engine::has_smooth_cells(run) ? seconds_per_smooth_step
                                                            : seconds_per_turning_point_step);
  }
  if (masing->method == engine::Method::exact) {
    const double cells = masing->slab.is_continuum() ? 0.0 : largest_part(1);
    return forcing + steps * seconds_per_exact_step +
           cells * events_per_cell_and_time * run.time.final_time * seconds_per_event;
  }
  return forcing + steps * largest_part(ranks) * seconds_per_update +
         steps / slab::info(masing->scheme).steps_per_pass * hops * seconds_per_allreduce;
}

StudyPlan make_plan(const StudySpec& spec, const FileReference* file, int ranks, double available) {
  StudyPlan plan{.spec = &spec, .ranks = ranks, .available = available};
  const std::size_t count = spec.levels.size();
  for (std::size_t i = 0; i < count; ++i) {
    engine::RunSpec level = at_level(spec.run, spec.levels[i]);
    const bool is_function = is_continuum(level);
    plan.runs.push_back({std::move(level),
                         {.title = fmt::format("level {} of {}", i + 1, count),
                          .has_function_field = is_function}});
  }
  plan.runs.back().form.series = spec.series;
  add_references(plan);
  add_round_off(plan);
  plan.field_times = file != nullptr ? file->field_times() : SampleTimes(field_samples(spec));
  plan.first_field = file != nullptr ? 0 : 1;
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

double bytes_a_rank(const StudyPlan& plan, const Batch& batch) {
  return total(plan, batch, &PlannedRun::bytes);
}

Schedule make_schedule(const StudyPlan& plan, const Batch& pending) {
  Schedule made;
  Batch shared;
  Batch own;
  const auto is_split = [&](std::size_t run) { return plan.runs[run].ranks > 1; };
  for (const std::size_t i : pending) {
    const auto& [level, reference] = plan.comparisons[i];
    const bool is_shared = is_split(level) || is_split(reference.value_or(level));
    (plan.ranks == 1 || is_shared ? shared : own).push_back(i);
  }
  made.shared = batches_of(plan, std::move(shared));
  for (Batch& share : dealt(plan, std::move(own))) {
    made.own.push_back(batches_of(plan, std::move(share)));
  }
  const auto seconds = [&](const std::vector<Batch>& batches) {
    double sum = 0.0;
    for (const Batch& batch : batches) {
      made.bytes = std::max(made.bytes, bytes_a_rank(plan, batch));
      sum += total(plan, batch, &PlannedRun::seconds);
    }
    return sum;
  };
  for (const auto& batches : made.own) {
    made.seconds = std::max(made.seconds, seconds(batches));
  }
  made.seconds += seconds(made.shared);
  return made;
}

std::string plan_text(const StudyPlan& plan, const Schedule& schedule) {
  constexpr std::size_t most_lines = 12;
  std::vector<const PlannedRun*> runs;
  for (const PlannedRun& planned : plan.runs) {
    runs.push_back(&planned);
  }
  std::ranges::stable_sort(runs, std::greater<>(),
                           [](const PlannedRun* planned) { return planned->seconds; });
  std::string text = fmt::format(
      "masing converge: {} runs, about {} where every rank has a core, up to {} a rank of {} "
      "available\n"
      "  errors against {}\n",
      runs.size(), io::duration(schedule.seconds), engine::gibibytes(schedule.bytes),
      engine::gibibytes(plan.available), plan.spec->reference.description);
  const std::size_t lines = std::min(most_lines, runs.size());
  for (const PlannedRun* planned : std::span(runs).first(lines)) {
    const engine::RunSpec& run = planned->run;
    const int ranks = planned->ranks;
    const double cells = engine::swept_cells(run);
    text += fmt::format(
        "  {}: {}, {}on {} rank{}, about {}\n", planned->form.title, engine::title(run),
        std::isnan(cells)
            ? ""
            : fmt::format("{:.3g} cell updates, ", cells * static_cast<double>(run.time.steps)),
        ranks, ranks == 1 ? "" : "s", io::duration(planned->seconds));
  }
  return text +
         (lines < runs.size() ? fmt::format("  and {} shorter runs\n", runs.size() - lines) : "");
}

}  // namespace masing::study
