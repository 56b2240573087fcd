#include "study/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/partition.hpp"
#include "io/progress.hpp"
#include "study/reference.hpp"

namespace masing::study {

namespace {

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

namespace {

using Runs = std::set<std::size_t>;

/// Each run of some comparisons once.
Runs runs_of(const StudyPlan& plan, const Batch& batch) {
  Runs runs;
  for (const std::size_t comparison : batch) {
    const auto& [level, reference] = plan.comparisons[comparison];
    runs.insert(level);
    runs.insert(reference.value_or(level));
  }
  return runs;
}

/// Of the engine of a run.
double engine_bytes(const PlannedRun& planned) {
  return engine::bytes_a_rank(engine::memory_need(planned.run, planned.ranks, {}));
}

double sum_over(const StudyPlan& plan, const Runs& runs, double PlannedRun::*cost) {
  return std::accumulate(runs.begin(), runs.end(), 0.0,
                         [&](double sum, std::size_t run) { return sum + plan.runs[run].*cost; });
}

/// Those of `runs` that are not among `others`.
Runs added_by(const Runs& runs, const Runs& others) {
  Runs added;
  std::ranges::copy_if(runs, std::inserter(added, added.end()),
                       [&](std::size_t run) { return !others.contains(run); });
  return added;
}

/// Throws UserError of the largest run where a batch does not fit.
void require_memory(const StudyPlan& plan, const Batch& batch) {
  const Runs runs = runs_of(plan, batch);
  const PlannedRun& largest = plan.runs[*std::ranges::max_element(
      runs, {}, [&](std::size_t run) { return plan.runs[run].bytes; })];
  const double beside = bytes_a_rank(plan, batch) - engine_bytes(largest);
  if (const auto found = engine::memory_shortage(
          engine::memory_need(largest.run, largest.ranks, {.beside = beside}), plan.available)) {
    throw *found;
  }
}

/// Adds `comparisons` in batches that fit, those with one reference together.
void add_batches(const StudyPlan& plan, Batch comparisons, std::vector<Batch>& batches) {
  std::ranges::stable_sort(comparisons, {}, [&](std::size_t i) {
    return plan.comparisons[i].reference.value_or(plan.comparisons[i].level);
  });
  Batch batch;
  Runs runs;
  double bytes = 0.0;
  for (const std::size_t comparison : comparisons) {
    const Runs needed = runs_of(plan, {comparison});
    double more = sum_over(plan, added_by(needed, runs), &PlannedRun::bytes);
    if (!batch.empty() && bytes + more > plan.available) {
      batches.push_back(std::exchange(batch, {}));
      runs.clear();
      bytes = 0.0;
      more = sum_over(plan, needed, &PlannedRun::bytes);
    }
    batch.push_back(comparison);
    runs.insert(needed.begin(), needed.end());
    bytes += more;
    if (batch.size() == 1) {
      require_memory(plan, batch);
    }
  }
  if (!batch.empty()) {
    batches.push_back(std::move(batch));
  }
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
    const Runs needed = runs_of(plan, {comparison});
    const auto end_on = [&](std::size_t rank) {
      return ends[rank] + sum_over(plan, added_by(needed, runs[rank]), &PlannedRun::seconds);
    };
    std::size_t first = 0;
    for (std::size_t rank = 1; rank < shares.size(); ++rank) {
      first = end_on(rank) < end_on(first) ? rank : first;
    }
    ends[first] = end_on(first);
    shares[first].push_back(comparison);
    runs[first].insert(needed.begin(), needed.end());
  }
  return shares;
}

}  // namespace

double run_bytes(const PlannedRun& planned) {
  const engine::RunSpec& run = planned.run;
  const RunForm& form = planned.form;
  const bool is_slab = engine::slab_of(run) != nullptr;
  constexpr double of_slab = 2 * sizeof(slab::Element);
  const double entry =
      form.has_function_field ? 0.0 : 3 * sizeof(double) + (is_slab ? of_slab : 0.0);
  return engine_bytes(planned) +
         entry * static_cast<double>(
                     base::local_range(engine::field_size(run), 0, planned.ranks).size) +
         (form.series ? 8.0 * static_cast<double>(io::series_numbers(*form.series)) : 0.0);
}

double bytes_a_rank(const StudyPlan& plan, const Batch& batch) {
  return sum_over(plan, runs_of(plan, batch), &PlannedRun::bytes);
}

Schedule make_schedule(const StudyPlan& plan, const Batch& pending) {
  Schedule made;
  Batch shared;
  Batch own;
  for (const std::size_t comparison : pending) {
    const bool is_split = std::ranges::any_of(
        runs_of(plan, {comparison}), [&](std::size_t run) { return plan.runs[run].ranks > 1; });
    (plan.ranks == 1 || is_split ? shared : own).push_back(comparison);
  }
  add_batches(plan, std::move(shared), made.shared);
  for (const Batch& share : dealt(plan, std::move(own))) {
    add_batches(plan, share, made.own.emplace_back());
  }
  const auto seconds = [&](const std::vector<Batch>& batches) {
    double sum = 0.0;
    for (const Batch& batch : batches) {
      made.bytes = std::max(made.bytes, bytes_a_rank(plan, batch));
      sum += sum_over(plan, runs_of(plan, batch), &PlannedRun::seconds);
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
