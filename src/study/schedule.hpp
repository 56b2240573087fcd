#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "study/plan.hpp"

namespace masing::study {

/// About how long one run takes on a number of ranks, seconds: cells × steps at a rate, an
/// allreduce for every pass, what only one rank does. The schedule depends on it, no result does.
/// Local.
double estimated_seconds(const engine::RunSpec& run, int ranks);

/// Bytes a rank of a run, before its profile is known, with what is kept beside: u at a step and
/// between two; of a comparison with cells what the rank needs of them, with a continuum k, η, u0
/// and c at the ends and the points of its cells. Local.
double run_bytes(const PlannedRun& planned);

/// What is expected to take longer, seconds, says before it starts what it will do and how it can
/// be stopped.
inline constexpr double long_time = 5.0;

/// Comparisons of a plan that go in lockstep.
using Batch = std::vector<std::size_t>;

/// Bytes a rank of a batch: its runs, what they keep of u and what is compared, before the profiles
/// are known. Local.
double bytes_a_rank(const StudyPlan& plan, const Batch& batch);

/// Who makes which comparisons, in which order.
struct Schedule {
  std::vector<Batch> shared;            ///< by all ranks: those with a run that they split
  std::vector<std::vector<Batch>> own;  ///< [ranks], by each rank alone, with references of its own
  double bytes = 0.0;                   ///< a rank, of the largest batch
  double seconds = 0.0;                 ///< until the last is done
};

/// The schedule of the comparisons `pending`: the longest first, each to the rank that would be
/// done with it first, where a reference that the rank has already takes no more time. What exceeds
/// the memory goes in batches. Throws UserError where one comparison does not fit. Local.
Schedule make_schedule(const StudyPlan& plan, const Batch& pending);

/// What a study is going to do, for people, the longest runs first. Local.
std::string plan_text(const StudyPlan& plan, const Schedule& schedule);

}  // namespace masing::study
