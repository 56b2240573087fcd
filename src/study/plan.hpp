#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "study/file_reference.hpp"
#include "study/run.hpp"

namespace masing::study {

/// The runs of a study: its levels, and what they are measured against, each once.
struct StudyPlan {
  std::vector<Job> jobs;
  std::vector<std::size_t> levels;                     ///< the job of each level
  std::vector<std::optional<std::size_t>> references;  ///< that of its reference, if it has one
  /// A run with so many cells that it differs from P = ∞ by rounding only; where levels have more
  /// than slab::most_tabled_cells, whose errors would be lost in a floor that is only assumed.
  std::optional<std::size_t> round_off;
};

/// At how many times the fields of a study are compared. Local.
std::int64_t field_samples(const StudySpec& spec);

/// The plan of a study: a reference that is one level's alone runs in step with it; of all other
/// runs what comparisons need is kept. `file`: the reference that is a file, null for none. Local.
StudyPlan make_plan(const StudySpec& spec, const FileReference* file);

/// engine::check_run of every run of a study, the levels first; the plan on stderr. Throws
/// UserError alike on all ranks. Collective.
void check_runs(const parallel::Communicator& comm, const StudySpec& spec);

/// At how many times jT/m u is compared: the greatest m up to `wanted` for which all of them are
/// steps of every level; between steps u is only known to first order, where it starts to slide.
/// `wanted` itself where the levels have fewer than `fewest` times in common. Local.
std::int64_t common_samples(std::int64_t wanted, const std::vector<std::int64_t>& steps,
                            std::int64_t fewest = 16);

}  // namespace masing::study
