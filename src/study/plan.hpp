#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "study/run.hpp"

namespace study {

/// The runs of a study: its levels, and what they are measured against, each once.
struct StudyPlan {
  std::vector<Job> jobs;
  std::vector<std::size_t> levels;                     ///< the job of each level
  std::vector<std::optional<std::size_t>> references;  ///< that of its reference, if it has one
  std::optional<options::Level> finest;                ///< the one reference of all levels
};

/// The plan of a study whose fields are compared at `field_samples` times T/m, …, T, or at
/// `field_times` if there are any. Local.
StudyPlan make_plan(const options::Configuration& configuration, std::int64_t field_samples,
                    const std::vector<double>& field_times);

}  // namespace study
