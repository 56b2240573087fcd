#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "slab/problem.hpp"

namespace masing::study {

/// A time among the steps of a run: `rest` of a step after step `step`, 0 ≤ rest < 1.
struct Moment {
  std::int64_t step = 0;
  double rest = 0.0;

  /// The first step that is not before it.
  [[nodiscard]] std::int64_t end() const { return step + (rest > 0 ? 1 : 0); }
};

/// Position and velocity of the mass.
struct PhasePoint {
  double x = 0.0;
  double y = 0.0;
};

/// Times at which runs are compared: t_i = i·T/intervals, i = 0..intervals, or given ones.
class SampleTimes {
 public:
  /// Uniform. Local.
  explicit SampleTimes(std::int64_t intervals) : intervals_(intervals) {}
  /// Increasing times. Local.
  explicit SampleTimes(std::shared_ptr<const std::vector<double>> given)
      : intervals_(std::ssize(*given) - 1), given_(std::move(given)) {}

  [[nodiscard]] std::int64_t count() const { return intervals_ + 1; }
  [[nodiscard]] bool are_given() const { return given_ != nullptr; }
  /// t_i on [0, final_time]. Local.
  [[nodiscard]] double time(std::int64_t i, double final_time) const;
  /// Time i among the steps of a run: from integers where the times are uniform; a given one that
  /// misses a step by rounding only is that step. Local.
  [[nodiscard]] Moment at(std::int64_t i, const slab::TimeGrid& grid) const;

 private:
  std::int64_t intervals_;
  std::shared_ptr<const std::vector<double>> given_;
};

}  // namespace masing::study
