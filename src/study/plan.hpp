#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "campaign/campaign.hpp"
#include "study/errors.hpp"
#include "study/study_spec.hpp"
#include "study/trajectory.hpp"

namespace masing::study {

/// One run of a study, with the estimates of its cost and memory.
struct PlannedRun {
  engine::RunSpec run;
  RunOptions options;
  int ranks = 1;              ///< number of ranks that compute the run together
  double cost = 0.0;          ///< the result of engine::estimated_cost
  double engine_bytes = 0.0;  ///< estimated memory of the engine per rank, in bytes
  double bytes = 0.0;  ///< estimated memory per rank of the engine, the copies of u and the series
};

/// A level and the run that it is compared with, as indices in StudyPlan::runs. If
/// each level is compared with the next one, `reference` has no value for the last level.
struct Comparison {
  std::size_t level = 0;
  std::optional<std::size_t> reference;
};

/// Comparisons that are computed together, as indices in StudyPlan::comparisons.
using campaign::Batch;

/// The runs of a study and the comparisons between them. A run is listed once, even if several
/// comparisons need it.
struct StudyPlan {
  const StudySpec* spec = nullptr;
  int ranks = 1;
  double available = 0.0;        ///< available memory per rank, in bytes
  std::vector<PlannedRun> runs;  ///< the runs of the levels, then those of the references, then the
                                 ///< run with P = 2^50, if any
  /// One comparison for each level, in the order of the levels. There is one more comparison, of a
  /// run with P = 2^50 with the reference, if three conditions hold: the cells alone are refined,
  /// the cost of the last level does not depend on P (engine::has_smooth_cells), and the reference
  /// is the same scheme at P = ∞. The difference between these two runs is due to round-off and
  /// determines the floor below which errors are not fitted.
  std::vector<Comparison> comparisons;

  /// The times at which u is compared, except for the first one: at t = 0 all runs have the same
  /// given u.
  SampleTimes field_times{0};

  /// Returns the indices of all comparisons. Local.
  [[nodiscard]] Batch all() const;
};

/// Returns the plan of a study for `ranks` ranks with `available` bytes of memory each. `spec` must
/// outlive the plan. Local.
StudyPlan make_plan(const StudySpec& spec, int ranks, double available);

/// Returns the number m of the times jT/m, j = 1..m, at which u is compared. It is the largest m up
/// to `wanted` for which each of these times is a step of every level: between two steps u is known
/// to first order only, because a cell may begin to slide there. If this m is smaller than both
/// `fewest` and `wanted`, the function returns `wanted` instead, and some of the times are not
/// steps of every level. `steps`: the number of steps of each level. Local.
std::int64_t common_samples(std::int64_t wanted, const std::vector<std::int64_t>& steps,
                            std::int64_t fewest);

/// Returns the estimated memory per rank of a batch, in bytes. It is the sum of PlannedRun::bytes
/// over the runs of the batch, each counted once. No profile is evaluated for the estimate. Local.
double bytes_a_rank(const StudyPlan& plan, const Batch& batch);

/// Deals the comparisons `pending` to the ranks. Comparisons with a run that is split over the
/// ranks are one batch for all ranks (Packing::together), and so are all comparisons if there is
/// only one rank. The others are at most one batch for each rank (Packing::alone): in order of
/// decreasing cost of their levels, each is added to the batch that then costs least; a reference
/// that this batch has anyway adds no cost. Throws UserError if a batch does not fit into the
/// memory of a rank. Local.
campaign::Packing make_schedule(const StudyPlan& plan, Batch pending);

/// Checks every run of a study by engine::check_run, the levels first. Throws UserError on all
/// ranks alike if a run is not valid or needs more memory than is available. Collective on comm.
void check_runs(const parallel::Communicator& comm, const StudySpec& spec);

}  // namespace masing::study
