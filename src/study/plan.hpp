#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/errors.hpp"
#include "study/file_reference.hpp"
#include "study/trajectory.hpp"

namespace masing::study {

/// One run of a study.
struct PlannedRun {
  engine::RunSpec run;
  RunForm form;
  int ranks = 1;         ///< that make it: all, or each the whole of it
  double seconds = 0.0;  ///< estimated_seconds
  double bytes = 0.0;    ///< a rank, of its engine and what is kept beside
};

/// A run of a level and the one it is measured against, as indices; none where that is a file, or
/// for the last of successive levels.
struct Comparison {
  std::size_t level = 0;
  std::optional<std::size_t> reference;
};

/// The runs of a study, each once, and how they are compared.
struct StudyPlan {
  const StudySpec* spec = nullptr;
  int ranks = 1;
  double available = 0.0;        ///< bytes a rank
  std::vector<PlannedRun> runs;  ///< the levels first
  /// One a level. Behind them perhaps one of a run with so many cells that it differs from P = ∞ by
  /// rounding only: where levels have more than slab::most_tabled_cells, whose errors would be lost
  /// in a floor that is only assumed.
  std::vector<Comparison> comparisons;
  SampleTimes field_times{0};    ///< of u
  std::int64_t first_field = 1;  ///< the first of these that is compared
};

/// What came of a plan.
struct Outcomes {
  std::vector<Errors> errors;    ///< of each comparison; 0 where it has no reference, or none of u
  std::vector<RunSummary> runs;  ///< of each run
  std::vector<double> series;    ///< rows of /series of the last level
};

/// The plan of a study, which must outlive it, on `ranks` ranks with `available` bytes each.
/// `file`: the reference that is a file, null for none. Local.
StudyPlan make_plan(const StudySpec& spec, const FileReference* file, int ranks, double available);

/// The same, of these ranks and their memory; opens the file. Collective.
StudyPlan make_plan(const parallel::Communicator& comm, const StudySpec& spec);

/// At how many times jT/m u is compared: the greatest m up to `wanted` for which all of them are
/// steps of every level; between steps u is only known to first order, where it starts to slide.
/// `wanted` itself where the levels have fewer than `fewest` times in common. Local.
std::int64_t common_samples(std::int64_t wanted, const std::vector<std::int64_t>& steps,
                            std::int64_t fewest = 16);

/// About how long one run takes on a number of ranks, seconds: cells × steps at a rate, an
/// allreduce for every pass, what only one rank does. The schedule depends on it, no result does.
/// Local.
double estimated_seconds(const engine::RunSpec& run, int ranks);

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
