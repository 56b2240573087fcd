#include "study/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

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

std::vector<Placement> schedule(const std::vector<Cost>& costs, int ranks) {
  std::vector<int> counts(costs.size(), 1);
  const auto seconds = [&](std::size_t run) { return costs[run](counts[run]); };
  for (;;) {
    double work = 0.0;
    std::size_t longest = 0;
    for (std::size_t run = 0; run < costs.size(); ++run) {
      work += counts[run] * seconds(run);
      longest = seconds(run) > seconds(longest) ? run : longest;
    }
    const bool fair = costs.empty() || seconds(longest) <= work / ranks;
    if (fair || counts[longest] == ranks ||
        costs[longest](counts[longest] + 1) >= seconds(longest)) {
      break;
    }
    ++counts[longest];
  }
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), seconds);

  std::vector<double> free_at(static_cast<std::size_t>(ranks), 0.0);
  std::vector<Placement> placements;
  for (const std::size_t run : order) {
    const int count = counts[run];
    const auto start = [&](int first) {
      return *std::max_element(free_at.begin() + first, free_at.begin() + first + count);
    };
    int best = 0;
    for (int first = 1; first + count <= ranks; ++first) {
      best = start(first) < start(best) ? first : best;
    }
    const double end = start(best) + seconds(run);
    std::fill_n(free_at.begin() + best, count, end);
    placements.push_back({run, best, count});
  }
  return placements;
}

namespace {

/// Bytes of what is kept of a run on the fullest of `ranks` ranks.
struct Kept {
  double fields = 0.0;
  double motion = 0.0;

  Kept& operator+=(const Kept& other) {
    fields += other.fields;
    motion += other.motion;
    return *this;
  }
};

/// Bytes of one field of so many entries, none where it is a function.
double field_bytes(const std::optional<std::int64_t>& columns, int ranks) {
  return columns ? 8.0 * static_cast<double>(base::local_range(*columns, 0, ranks).size) : 0.0;
}

/// k, η, u0 and c at the ends and the points of the cells, two places a cell, where a level's cells
/// are compared with a continuum.
double comparison_bytes(const Job& level, int ranks) {
  return engine::slab_of(level.run) == nullptr
             ? 0.0
             : 2 * sizeof(slab::Element) / 8.0 * field_bytes(field_columns(level), ranks);
}

Kept kept_of(const Job& job, int ranks) {
  Kept kept;
  for (const SampleTimes& times : job.motion) {
    kept.motion += 16.0 * std::ceil(static_cast<double>(times.count()) / ranks);
  }
  kept.motion += job.series ? 8.0 * static_cast<double>(io::series_numbers(*job.series)) : 0.0;
  if (job.reference) {
    // One field that is being made, one that is compared.
    kept.fields = 2 * field_bytes(field_columns(job), ranks) +
                  2 * field_bytes(field_columns(*job.reference), ranks) +
                  comparison_bytes(job, ranks);
  } else {
    kept.fields = static_cast<double>(field_times(job, job.run).size()) *
                  field_bytes(field_columns(job), ranks);
  }
  return kept;
}

/// What each rank keeps: of its runs, and for a moment of one run anew, when all ranks take their
/// part of it, or when cells are compared with a continuum.
std::vector<Kept> kept_by_ranks(const std::vector<Job>& jobs,
                                const std::vector<Placement>& placements, int ranks) {
  std::vector<Kept> kept(static_cast<std::size_t>(ranks));
  Kept shared;
  const bool has_continuum = std::ranges::any_of(
      jobs, [](const Job& job) { return !job.reference && !field_columns(job); });
  for (const auto& [run, first, count] : placements) {
    const Kept mine = kept_of(jobs[run], count);
    for (int rank = first; rank < first + count; ++rank) {
      kept[static_cast<std::size_t>(rank)] += mine;
    }
    const Kept anew = count < ranks ? kept_of(jobs[run], ranks) : Kept{};
    const double compared = has_continuum ? comparison_bytes(jobs[run], ranks) : 0.0;
    shared = {std::max({shared.fields, anew.fields, compared}),
              std::max(shared.motion, anew.motion)};
  }
  for (Kept& each : kept) {
    each += shared;
  }
  return kept;
}

std::optional<base::UserError> shortage(const std::vector<engine::MemoryNeed>& needs,
                                        double available) {
  for (const auto& need : needs) {
    if (auto found = engine::memory_shortage(need, available)) {
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<engine::MemoryNeed> least_needs(const std::vector<Job>& jobs,
                                            const std::vector<Placement>& placements, int ranks) {
  const std::vector<Kept> kept = kept_by_ranks(jobs, placements, ranks);
  std::vector<engine::MemoryNeed> needs;
  for (const auto& [run, first, count] : placements) {
    Kept most;
    for (int rank = first; rank < first + count; ++rank) {
      const Kept& here = kept[static_cast<std::size_t>(rank)];
      most = here.fields + here.motion > most.fields + most.motion ? here : most;
    }
    const auto& reference = jobs[run].reference;
    const double beside =
        reference ? engine::bytes_a_rank(engine::memory_need(*reference, count, {})) : 0.0;
    needs.push_back(engine::memory_need(jobs[run].run, count,
                                        {.fields = most.fields + beside, .motion = most.motion}));
  }
  return needs;
}

double estimated_seconds(const Job& job, int ranks) {
  return estimated_seconds(job.run, ranks) +
         (job.reference ? estimated_seconds(*job.reference, ranks) : 0.0);
}

std::vector<Placement> fitting_schedule(const std::vector<Job>& jobs, int ranks, double available) {
  std::vector<Cost> costs;
  costs.reserve(jobs.size());
  for (const Job& job : jobs) {
    costs.emplace_back([&job](int count) { return estimated_seconds(job, count); });
  }
  std::vector<Placement> placements = schedule(costs, ranks);
  if (!shortage(least_needs(jobs, placements, ranks), available)) {
    return placements;
  }
  for (Placement& placement : placements) {
    placement = {placement.run, 0, ranks};
  }
  if (const auto found = shortage(least_needs(jobs, placements, ranks), available)) {
    throw *found;
  }
  return placements;
}

Forecast forecast(const std::vector<Job>& jobs, int ranks, double available) {
  Forecast found{.placements = fitting_schedule(jobs, ranks, available), .available = available};
  found.needs = least_needs(jobs, found.placements, ranks);
  std::vector<double> free_at(static_cast<std::size_t>(ranks), 0.0);
  for (const auto& [run, first, count] : found.placements) {
    const auto begin = free_at.begin() + first;
    const double end =
        *std::max_element(begin, begin + count) + estimated_seconds(jobs[run], count);
    std::fill_n(begin, count, end);
    found.seconds = std::max(found.seconds, end);
  }
  return found;
}

namespace {

std::string line_of(const Job& job, const Placement& placement, const engine::MemoryNeed& need) {
  const double cells = engine::swept_cells(job.run);
  const std::string work =
      std::isnan(cells)
          ? ""
          : fmt::format("{:.3g} cell updates, ", cells * static_cast<double>(job.run.time.steps));
  return fmt::format("  {}{}: {}, {}on {} rank{}, {} a rank, about {}\n", job.title,
                     job.reference ? ", its reference in step" : "", engine::title(job.run), work,
                     placement.count, placement.count == 1 ? "" : "s",
                     engine::gibibytes(engine::bytes_a_rank(need)),
                     io::duration(estimated_seconds(job, placement.count)));
}

}  // namespace

std::string plan_text(const std::vector<Job>& jobs, const Reference& reference,
                      const Forecast& forecast) {
  constexpr std::size_t most_lines = 12;
  double most = 0.0;
  for (const engine::MemoryNeed& need : forecast.needs) {
    most = std::max(most, engine::bytes_a_rank(need));
  }
  std::string text = fmt::format(
      "masing converge: {} run{}, about {} where every rank has a core, up to {} a rank of {} "
      "available\n"
      "  errors against {}\n",
      jobs.size(), jobs.size() == 1 ? "" : "s", io::duration(forecast.seconds),
      engine::gibibytes(most), engine::gibibytes(forecast.available), reference.description());
  const std::size_t lines = std::min(most_lines, jobs.size());
  for (std::size_t i = 0; i < lines; ++i) {
    text += line_of(jobs[forecast.placements[i].run], forecast.placements[i], forecast.needs[i]);
  }
  if (lines < jobs.size()) {
    text += fmt::format("  and {} shorter runs\n", jobs.size() - lines);
  }
  return text;
}

}  // namespace masing::study
