#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "campaign/campaign.hpp"
#include "study/errors.hpp"
#include "study/file_reference.hpp"
#include "study/study_spec.hpp"
#include "study/trajectory.hpp"

namespace masing::study {

/// One run of a study.
struct PlannedRun {
  engine::RunSpec run;
  RunOptions options;
  int ranks = 1;              ///< that make it: all, or each the whole of it
  double seconds = 0.0;       ///< engine::estimated_seconds
  double engine_bytes = 0.0;  ///< a rank, of its engine
  double bytes = 0.0;         ///< a rank, with what is kept beside
};

/// A run of a level and the one it is measured against, as indices; none where that is a file, or
/// for the last of successive levels.
struct Comparison {
  std::size_t level = 0;
  std::optional<std::size_t> reference;
};

/// Comparisons of a plan, by index.
using campaign::Batch;

/// The runs of a study, each once, and how they are compared.
struct StudyPlan {
  const StudySpec* spec = nullptr;
  int ranks = 1;
  double available = 0.0;        ///< bytes a rank
  std::vector<PlannedRun> runs;  ///< the levels first
  /// One a level. If levels have more than slab::most_tabled_cells, one more: P = 2^50 against
  /// P = ∞. Its error is round-off and sets the floor.
  std::vector<Comparison> comparisons;
  SampleTimes field_times{0};                  ///< of u
  std::shared_ptr<const FileTrajectory> file;  ///< that all levels are measured against; or null

  /// The first of the field times at which u is compared: in a run u at t = 0 is given.
  [[nodiscard]] std::int64_t first_field() const { return file != nullptr ? 0 : 1; }
  /// All comparisons. Local.
  [[nodiscard]] Batch all() const;
};

/// The plan of a study, which must outlive it, on `ranks` ranks with `available` bytes each.
/// `file`: the reference that is a file, null for none. Local.
StudyPlan make_plan(const StudySpec& spec, std::shared_ptr<const FileTrajectory> file, int ranks,
                    double available);

/// The same, of these ranks and their memory; reads the file. Collective.
StudyPlan make_plan(const parallel::Communicator& comm, const StudySpec& spec);

/// At how many times jT/m u is compared: the greatest m up to `wanted` for which all of them are
/// steps of every level; between steps u is only known to first order, where it starts to slide.
/// `wanted` itself where the levels have fewer than `fewest` times in common. Local.
std::int64_t common_samples(std::int64_t wanted, const std::vector<std::int64_t>& steps,
                            std::int64_t fewest);

/// Bytes a rank of a batch: its runs, what they keep of u and what is compared, before the profiles
/// are known. Local.
double bytes_a_rank(const StudyPlan& plan, const Batch& batch);

/// Distributes the comparisons `pending` over the ranks. Together: those with a run that all ranks
/// split. Alone: the others, the longest first, each beside those of the rank that would be done
/// with it first, where a reference that the rank has already takes no more time. What exceeds the
/// memory goes in batches. Its text says what the study is going to do, for people, the longest
/// runs first. Throws UserError where one comparison does not fit. Local.
campaign::Packing make_schedule(const StudyPlan& plan, const Batch& pending);

/// engine::check_run of every run of a study, the levels first; the plan on stderr. Throws
/// UserError alike on all ranks. Collective.
void check_runs(const parallel::Communicator& comm, const StudySpec& spec);

}  // namespace masing::study
