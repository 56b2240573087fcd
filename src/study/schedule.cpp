#include "study/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "base/partition.hpp"

namespace masing::study {

namespace {

// Of a machine of today; a factor of two more or less changes hardly any schedule.
constexpr double seconds_per_update = 0.2e-9;
constexpr double seconds_per_column = 2e-9;
constexpr double reductions_per_step = 6;
constexpr double seconds_per_allreduce = 1e-6;
constexpr double seconds_per_turning_point_step = 20e-9;
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
    return forcing + steps * seconds_per_turning_point_step;
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

/// Bytes of a run's fields on the fullest of `ranks` ranks.
double field_bytes(const Job& job, int ranks) {
  const slab::Slab* slab = engine::slab_of(job.run);
  if (slab != nullptr && slab->is_continuum()) {
    return 0.0;
  }
  const double fields = job.field_times.empty() ? static_cast<double>(job.field_samples)
                                                : static_cast<double>(job.field_times.size());
  return 8.0 * fields *
         static_cast<double>(base::local_range(engine::field_size(job.run), 0, ranks).size);
}

/// Bytes of fields that each rank keeps: those of its runs, and for a moment one run's anew, when
/// all ranks take their part of it.
std::vector<double> kept_bytes(const std::vector<Job>& jobs,
                               const std::vector<Placement>& placements, int ranks) {
  std::vector<double> kept(static_cast<std::size_t>(ranks), 0.0);
  double shared = 0.0;
  for (const auto& [run, first, count] : placements) {
    for (int rank = first; rank < first + count; ++rank) {
      kept[static_cast<std::size_t>(rank)] += field_bytes(jobs[run], count);
    }
    shared = std::max(shared, count < ranks ? field_bytes(jobs[run], ranks) : 0.0);
  }
  for (double& bytes : kept) {
    bytes += shared;
  }
  return kept;
}

std::string shortage(const std::vector<engine::MemoryNeed>& needs, double available) {
  for (const auto& need : needs) {
    std::string found = engine::memory_shortage(need, available);
    if (!found.empty()) {
      return found;
    }
  }
  return {};
}

}  // namespace

std::vector<engine::MemoryNeed> least_needs(const std::vector<Job>& jobs,
                                            const std::vector<Placement>& placements, int ranks) {
  const std::vector<double> kept = kept_bytes(jobs, placements, ranks);
  std::vector<engine::MemoryNeed> needs;
  for (const auto& [run, first, count] : placements) {
    const auto begin = kept.begin() + first;
    needs.push_back(engine::memory_need(jobs[run].run, count,
                                        {.fields = *std::max_element(begin, begin + count)}));
  }
  return needs;
}

std::vector<Placement> fitting_schedule(const std::vector<Job>& jobs, int ranks, double available) {
  std::vector<Cost> costs;
  costs.reserve(jobs.size());
  for (const Job& job : jobs) {
    costs.emplace_back([&job](int count) { return estimated_seconds(job.run, count); });
  }
  std::vector<Placement> placements = schedule(costs, ranks);
  if (shortage(least_needs(jobs, placements, ranks), available).empty()) {
    return placements;
  }
  for (Placement& placement : placements) {
    placement = {placement.run, 0, ranks};
  }
  const std::string found = shortage(least_needs(jobs, placements, ranks), available);
  if (!found.empty()) {
    throw base::UserError(found);
  }
  return placements;
}

}  // namespace masing::study
