#pragma once

#include <cstdint>
#include <vector>

namespace study {

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

}  // namespace study
