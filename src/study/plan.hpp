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
  double bytes = 0.0;    ///< a rank, of its engine and what is kept beside (run_bytes)
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

/// At how many times the fields of a study are compared. Local.
std::int64_t field_samples(const StudySpec& spec);

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

}  // namespace masing::study
