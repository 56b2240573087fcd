#include "study/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/partition.hpp"
#include "rheology/catalogue.hpp"

namespace study {

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

double estimated_seconds(const options::Configuration& c, int ranks) {
  const auto steps = static_cast<double>(c.steps);
  const auto cells = static_cast<double>(c.cells);
  const double forcing = steps * seconds_per_force;
  if (options::family_of(c.model) == options::Family::finite) {
    const bool split =
        rheology::catalogue_entry(c.model, "--model").info.work == rheology::Work::split;
    const auto own = static_cast<double>(base::slab_of(c.cells, 0, split ? ranks : 1).size);
    const double hops = split ? std::log2(static_cast<double>(ranks)) : 0.0;
    return forcing +
           steps * (own * seconds_per_column + hops * reductions_per_step * seconds_per_allreduce);
  }
  switch (c.engine.value_or(options::EngineKind::sweep)) {
    case options::EngineKind::memory:
      return forcing + steps * seconds_per_remembered_step;
    case options::EngineKind::exact:
      return forcing + steps * seconds_per_exact_step +
             cells * events_per_cell_and_time * c.final_time * seconds_per_event;
    default: {
      // The largest slab decides; every second step joins the ranks' sums.
      const auto slab = static_cast<double>(base::slab_of(c.cells, 0, ranks).size);
      const double hops = std::log2(static_cast<double>(ranks));
      return forcing + steps * slab * seconds_per_update +
             steps * (c.scheme == options::Scheme::euler ? 0.5 : 1.0) * hops *
                 seconds_per_allreduce;
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

}  // namespace study
