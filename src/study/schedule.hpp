#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/memory_need.hpp"
#include "study/run.hpp"

namespace masing::study {

/// About how long one run takes on a number of ranks, seconds: cells × steps at a rate, an
/// allreduce for every pass, what only one rank does. The schedule depends on it, no result does.
/// Local.
double estimated_seconds(const engine::RunSpec& run, int ranks);

/// The same of a job, with what runs in step. Local.
double estimated_seconds(const Job& job, int ranks);

/// What is expected to take longer, seconds, says before it starts what it will do and how it can
/// be stopped.
inline constexpr double long_time = 5.0;

/// One run of a schedule: which run, and the ranks first..first+count-1 that make it.
struct Placement {
  std::size_t run = 0;
  int first = 0;
  int count = 1;
};

/// The seconds of a run on a number of ranks.
using Cost = std::function<double(int ranks)>;

/// Places runs on ranks, the longest first, each on as many ranks as shorten the whole: ranks are
/// added to the longest run while it is longer than a fair share of the work and gains from them.
/// Every rank makes its runs in the order of the list, so no two wait for each other. Local.
std::vector<Placement> schedule(const std::vector<Cost>& costs, int ranks);

/// What each run of a schedule needs, [placements]: the run itself, what runs in step with it, and
/// what its fullest rank keeps of all runs until the end of the study, before the profiles are
/// known. Local.
std::vector<engine::MemoryNeed> least_needs(const std::vector<Job>& jobs,
                                            const std::vector<Placement>& placements, int ranks);

/// The schedule of the jobs that the machine's speed suggests, or each on all ranks where it would
/// not fit into `available` bytes a rank. Throws UserError where neither fits. Local.
std::vector<Placement> fitting_schedule(const std::vector<Job>& jobs, int ranks, double available);

/// Where and when the runs of a study will be made, and what they need.
struct Forecast {
  std::vector<Placement> placements;      ///< fitting_schedule's
  std::vector<engine::MemoryNeed> needs;  ///< least_needs'
  double available = 0.0;                 ///< bytes a rank
  double seconds = 0.0;                   ///< until the last run is done
};

/// The forecast of jobs on `ranks` ranks with `available` bytes each. Throws UserError where they
/// do not fit. Local.
Forecast forecast(const std::vector<Job>& jobs, int ranks, double available);

/// What a study is going to do, for people, the longest runs first. Local.
std::string plan_text(const std::vector<Job>& jobs, const Reference& reference,
                      const Forecast& forecast);

}  // namespace masing::study
