#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "study/run.hpp"

namespace masing::study {

/// How much finer than the last level the `finest` reference is at least: order-one data against a
/// reference r times finer look like order log₂((2 - 1/r)/(1 - 1/r)), 1.05 for r = 16.
inline constexpr std::int64_t finest_factor = 16;

/// The count (steps or cells) of the `finest` reference of a ladder: the least common multiple of
/// the levels' counts times a factor, at least 16 times the last; so every level's times or cell
/// limits are also the reference's. Where that multiple would be needlessly large, 16 times the
/// last. `counts` increases. Local.
std::int64_t finest_count(const std::vector<std::int64_t>& counts);

/// Every how many of the reference's steps a level compares itself with it: the greatest stride
/// that meets the times of all levels, or 1 if they do not all meet. Local.
std::int64_t common_stride(std::int64_t reference_steps, const std::vector<std::int64_t>& steps);

/// At how many times jT/m u is compared: the greatest m up to `wanted` for which all of them are
/// steps of every level; between steps u is only known to first order, where it starts to slide.
/// `wanted` itself where the levels have too few times in common. Local.
std::int64_t common_samples(std::int64_t wanted, const std::vector<std::int64_t>& steps);

/// The runs of a study: its levels, and what they are measured against, each once.
struct StudyPlan {
  std::vector<Job> jobs;
  std::vector<std::size_t> levels;                     ///< the job of each level
  std::vector<std::optional<std::size_t>> references;  ///< that of its reference, if it has one
  std::optional<cli::Level> finest;                    ///< the one reference of all levels
};

/// The plan of a study whose fields are compared at `field_samples` times T/m, …, T, or at
/// `field_times` if there are any. Local.
StudyPlan make_plan(const cli::Configuration& configuration, std::int64_t field_samples,
                    const std::vector<double>& field_times);

}  // namespace masing::study
