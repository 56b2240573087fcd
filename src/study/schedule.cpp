#include "study/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "base/partition.hpp"
#include "rheology/catalogue.hpp"

namespace masing::study {

namespace {

// Of a machine of today; a factor of two more or less changes hardly any schedule.
constexpr double seconds_per_update = 0.2e-9;
constexpr double seconds_per_column = 2e-9;
constexpr double reductions_per_step = 6;
constexpr double seconds_per_allreduce = 1e-6;
constexpr double seconds_per_remembered_step = 20e-9;
constexpr double seconds_per_exact_step = 1e-6;
constexpr double seconds_per_event = 3e-6;
constexpr double events_per_cell_and_time = 0.16;
constexpr double seconds_per_force = 50e-9;

}  // namespace

double estimated_seconds(const cli::Configuration& c, int ranks) {
  const auto steps = static_cast<double>(c.steps);
  const auto cells = static_cast<double>(c.cells);
  const double forcing = steps * seconds_per_force;
  if (cli::family_of(c.model) == cli::Family::finite) {
    const bool split =
        rheology::catalogue_entry(c.model).info.work == rheology::Work::split;
    const auto own = static_cast<double>(base::slab_of(c.cells, 0, split ? ranks : 1).size);
    const double hops = split ? std::log2(static_cast<double>(ranks)) : 0.0;
    return forcing +
           steps * (own * seconds_per_column + hops * reductions_per_step * seconds_per_allreduce);
  }
  switch (c.engine.value_or(cli::EngineKind::sweep)) {
    case cli::EngineKind::memory:
      return forcing + steps * seconds_per_remembered_step;
    case cli::EngineKind::exact:
      return forcing + steps * seconds_per_exact_step +
             cells * events_per_cell_and_time * c.final_time * seconds_per_event;
    default: {
      // The largest slab decides; every second step joins the ranks' sums.
      const auto slab = static_cast<double>(base::slab_of(c.cells, 0, ranks).size);
      const double hops = std::log2(static_cast<double>(ranks));
      return forcing + steps * slab * seconds_per_update +
             steps * (c.scheme == cli::Scheme::euler ? 0.5 : 1.0) * hops * seconds_per_allreduce;
    }
  }
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
  const std::int64_t cells = job.configuration.cells;
  if (cells == cli::infinitely_many) {
    return 0.0;
  }
  const double fields = job.field_times.empty() ? static_cast<double>(job.field_samples)
                                                : static_cast<double>(job.field_times.size());
  return 8.0 * fields * static_cast<double>(base::slab_of(cells, 0, ranks).size);
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
    const cli::Configuration& c = jobs[run].configuration;
    const engine::Holding holding{.engine = *c.engine,
                                  .fields = *std::max_element(begin, begin + count)};
    needs.push_back(cli::family_of(c.model) == cli::Family::finite
                        ? engine::need_of_state(c, count, holding)
                        : engine::need_of(slab::make_problem(c), count, holding));
  }
  return needs;
}

std::vector<Placement> fitting_schedule(const std::vector<Job>& jobs, int ranks, double available) {
  std::vector<Cost> costs;
  costs.reserve(jobs.size());
  for (const Job& job : jobs) {
    costs.emplace_back([&job](int count) { return estimated_seconds(job.configuration, count); });
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
