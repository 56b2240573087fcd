#include "study/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

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

/// The runs of a comparison.
std::vector<std::size_t> runs_of(const StudyPlan& plan, std::size_t comparison) {
  const auto& [level, reference] = plan.comparisons[comparison];
  return reference ? std::vector{level, *reference} : std::vector{level};
}

/// Whether the ranks share the comparison: where one of its runs is worth splitting.
bool is_shared(const StudyPlan& plan, std::size_t comparison) {
  return std::ranges::any_of(runs_of(plan, comparison), [&](std::size_t run) {
    return engine::is_worth_splitting(plan.runs[run].run);
  });
}

/// Beside the engine of a run: u at a step and between two; of a comparison with cells what the
/// rank needs of them, with a continuum k, η, u0 and c at the ends and the points of its cells.
double bytes_beside(const StudyPlan& plan, std::size_t run, int ranks) {
  const auto& [spec, form] = plan.runs[run];
  const bool is_slab = engine::slab_of(spec) != nullptr;
  const double entry =
      form.has_function_field ? 0.0 : (is_slab ? 2 * sizeof(slab::Element) : 0) + 24.0;
  return entry * static_cast<double>(base::local_range(engine::field_size(spec), 0, ranks).size) +
         (form.series ? 8.0 * static_cast<double>(io::series_numbers(*form.series)) : 0.0);
}

double seconds_of(const StudyPlan& plan, const std::set<std::size_t>& runs, int ranks) {
  return std::accumulate(runs.begin(), runs.end(), 0.0, [&](double sum, std::size_t run) {
    return sum + estimated_seconds(plan.runs[run].run, ranks);
  });
}

/// Throws UserError of the larger run of a comparison that does not fit.
void refuse(const StudyPlan& plan, std::size_t comparison, int ranks, double available) {
  const auto runs = runs_of(plan, comparison);
  const auto bytes = [&](std::size_t run) {
    return engine::bytes_a_rank(engine::memory_need(plan.runs[run].run, ranks, {}));
  };
  const std::size_t larger = *std::ranges::max_element(runs, {}, bytes);
  const double beside = bytes_a_rank(plan, {comparison}, ranks) - bytes(larger);
  if (const auto found = engine::memory_shortage(
          engine::memory_need(plan.runs[larger].run, ranks, {.fields = beside}), available)) {
    throw *found;
  }
}

/// `comparisons` in batches that fit, those with one reference together.
std::vector<Batch> batches_of(const StudyPlan& plan, Batch comparisons, int ranks,
                              double available) {
  std::ranges::stable_sort(comparisons, {}, [&](std::size_t i) {
    return plan.comparisons[i].reference.value_or(plan.comparisons[i].level);
  });
  std::vector<Batch> batches;
  for (const std::size_t comparison : comparisons) {
    if (!batches.empty()) {
      batches.back().push_back(comparison);
      if (bytes_a_rank(plan, batches.back(), ranks) <= available) {
        continue;
      }
      batches.back().pop_back();
    }
    batches.push_back({comparison});
    refuse(plan, comparison, ranks, available);
  }
  return batches;
}

/// `comparisons` to ranks, the longest first.
std::vector<Batch> dealt(const StudyPlan& plan, Batch comparisons, int ranks) {
  const auto seconds = [&](std::size_t i) {
    return estimated_seconds(plan.runs[plan.comparisons[i].level].run, 1);
  };
  std::ranges::stable_sort(comparisons, std::greater<>(), seconds);
  std::vector<Batch> shares(static_cast<std::size_t>(ranks));
  std::vector<std::set<std::size_t>> runs(shares.size());
  std::vector<double> busy(shares.size(), 0.0);
  for (const std::size_t comparison : comparisons) {
    const auto end_on = [&](std::size_t rank) {
      double end = busy[rank];
      for (const std::size_t run : runs_of(plan, comparison)) {
        end += runs[rank].contains(run) ? 0.0 : estimated_seconds(plan.runs[run].run, 1);
      }
      return end;
    };
    std::size_t first = 0;
    for (std::size_t rank = 1; rank < shares.size(); ++rank) {
      first = end_on(rank) < end_on(first) ? rank : first;
    }
    busy[first] = end_on(first);
    shares[first].push_back(comparison);
    for (const std::size_t run : runs_of(plan, comparison)) {
      runs[first].insert(run);
    }
  }
  return shares;
}

}  // namespace

double bytes_a_rank(const StudyPlan& plan, const Batch& batch, int ranks) {
  std::set<std::size_t> runs;
  for (const std::size_t comparison : batch) {
    for (const std::size_t run : runs_of(plan, comparison)) {
      runs.insert(run);
    }
  }
  return std::accumulate(runs.begin(), runs.end(), 0.0, [&](double sum, std::size_t run) {
    return sum + engine::bytes_a_rank(engine::memory_need(plan.runs[run].run, ranks, {})) +
           bytes_beside(plan, run, ranks);
  });
}

Schedule make_schedule(const StudyPlan& plan, const Batch& pending, int ranks, double available) {
  Schedule made{.available = available};
  Batch shared;
  Batch own;
  for (const std::size_t comparison : pending) {
    const bool fits = bytes_a_rank(plan, {comparison}, 1) <= available;
    (ranks == 1 || is_shared(plan, comparison) || !fits ? shared : own).push_back(comparison);
  }
  made.shared = batches_of(plan, std::move(shared), ranks, available);
  double longest = 0.0;
  const auto account = [&](const Batch& batch, int on) {
    made.bytes = std::max(made.bytes, bytes_a_rank(plan, batch, on));
    std::set<std::size_t> runs;
    for (const std::size_t comparison : batch) {
      for (const std::size_t run : runs_of(plan, comparison)) {
        runs.insert(run);
      }
    }
    return seconds_of(plan, runs, on);
  };
  for (const Batch& share : dealt(plan, std::move(own), ranks)) {
    double seconds = 0.0;
    for (const Batch& batch : made.own.emplace_back(batches_of(plan, share, 1, available))) {
      seconds += account(batch, 1);
    }
    longest = std::max(longest, seconds);
  }
  made.seconds = longest;
  for (const Batch& batch : made.shared) {
    made.seconds += account(batch, ranks);
  }
  return made;
}

namespace {

std::string line_of(const StudyPlan& plan, std::size_t run, bool is_split, int ranks) {
  const auto& [spec, form] = plan.runs[run];
  const double cells = engine::swept_cells(spec);
  const std::string work =
      std::isnan(cells)
          ? ""
          : fmt::format("{:.3g} cell updates, ", cells * static_cast<double>(spec.time.steps));
  return fmt::format("  {}: {}, {}{}, about {}\n", form.title, engine::title(spec), work,
                     is_split ? fmt::format("on {} ranks", ranks) : "on one rank",
                     io::duration(estimated_seconds(spec, is_split ? ranks : 1)));
}

}  // namespace

std::string plan_text(const StudyPlan& plan, const Schedule& schedule, int ranks) {
  constexpr std::size_t most_lines = 12;
  std::vector<std::size_t> order(plan.runs.size());
  std::iota(order.begin(), order.end(), 0);
  const auto on = [&](std::size_t run) {
    return engine::is_worth_splitting(plan.runs[run].run) ? ranks : 1;
  };
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t run) {
    return estimated_seconds(plan.runs[run].run, on(run));
  });
  std::string text = fmt::format(
      "masing converge: {} run{}, about {} where every rank has a core, up to {} a rank of {} "
      "available\n"
      "  errors against {}\n",
      order.size(), order.size() == 1 ? "" : "s", io::duration(schedule.seconds),
      engine::gibibytes(schedule.bytes), engine::gibibytes(schedule.available),
      plan.spec->reference.description);
  const std::size_t lines = std::min(most_lines, order.size());
  for (std::size_t i = 0; i < lines; ++i) {
    text += line_of(plan, order[i], on(order[i]) > 1, ranks);
  }
  if (lines < order.size()) {
    text += fmt::format("  and {} shorter runs\n", order.size() - lines);
  }
  return text;
}

}  // namespace masing::study
