#include "study/sample_times.hpp"

#include <algorithm>
#include <cmath>

#include "base/partition.hpp"

namespace masing::study {

double SampleTimes::time(std::int64_t i, double final_time) const {
  return are_given() ? (*given_)[static_cast<std::size_t>(i)]
                     : slab::TimeGrid{final_time, intervals_}.time(i);
}

Moment SampleTimes::at(std::int64_t i, const slab::TimeGrid& grid) const {
  if (are_given()) {
    const double position =
        std::clamp(time(i, grid.final_time) / grid.step(), 0.0, static_cast<double>(grid.steps));
    const double nearest = std::round(position);
    const bool is_step = std::abs(position - nearest) <= 1e-12 * std::max(1.0, nearest);
    const double whole = is_step ? nearest : std::floor(position);
    return {static_cast<std::int64_t>(whole), is_step ? 0.0 : position - whole};
  }
  // i N = whole·intervals + left; both products may wrap around, their difference is small.
  const std::int64_t whole = base::floor_of_ratio(i, grid.steps, intervals_);
  const auto wrapped = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
  };
  const std::uint64_t left = wrapped(i, grid.steps) - wrapped(whole, intervals_);
  return {whole, static_cast<double>(left) / static_cast<double>(intervals_)};
}

}  // namespace masing::study
