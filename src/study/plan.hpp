#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "study/run.hpp"

namespace masing::study {

/// The runs of a study: its levels, and what they are measured against, each once.
struct StudyPlan {
  std::vector<Job> jobs;
  std::vector<std::size_t> levels;                     ///< the job of each level
  std::vector<std::optional<std::size_t>> references;  ///< that of its reference, if it has one
};

/// The plan of a study whose fields are compared at `field_samples` times T/m, …, T, or at
/// `field_times` if there are any. Local.
StudyPlan make_plan(const StudySpec& spec, std::int64_t field_samples,
                    const std::vector<double>& field_times);

/// Every how many of the reference's steps a level compares itself with it: the greatest stride
/// that meets the times of all levels, or 1 if they do not all meet. Local.
std::int64_t common_stride(std::int64_t reference_steps, const std::vector<std::int64_t>& steps);

/// At how many times jT/m u is compared: the greatest m up to `wanted` for which all of them are
/// steps of every level; between steps u is only known to first order, where it starts to slide.
/// `wanted` itself where the levels have fewer than `fewest` times in common. Local.
std::int64_t common_samples(std::int64_t wanted, const std::vector<std::int64_t>& steps,
                            std::int64_t fewest = 16);

}  // namespace masing::study
