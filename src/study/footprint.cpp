#include "study/footprint.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/partition.hpp"

namespace study {

namespace {

/// Bytes of a run's fields on the fullest of `ranks` ranks.
double field_bytes(const Job& job, int ranks) {
  const std::int64_t cells = job.configuration.cells;
  if (cells == options::infinitely_many) {
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
    const options::Configuration& c = jobs[run].configuration;
    const engine::Holding holding{.engine = *c.engine,
                                  .fields = *std::max_element(begin, begin + count)};
    needs.push_back(options::family_of(c.model) == options::Family::finite
                        ? engine::need_of_state(c, count, holding)
                        : engine::need_of(masing::make_problem(c), count, holding));
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

}  // namespace study
