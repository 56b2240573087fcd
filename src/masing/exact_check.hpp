#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "masing/exact_solution.hpp"

namespace masing {

/// The other step control a solution is checked with: ten times the tolerance, 0.7 times the
/// longest step.
inline ExactOptions checking(const ExactOptions& options) {
  return {.tolerance = 10 * options.tolerance, .longest_step = 0.7 * options.longest_step};
}

/// Greatest differences of two solutions over the samples compared.
struct ExactDifference {
  double x = 0.0;
  double y = 0.0;
};

/// How far the exact solution can be trusted: the same once more with another step control (ten
/// times the tolerance, 0.7 times the longest step), and the greatest differences in x and y at
/// the times pT/n, p = 1..n. Costs two solutions. Throws UserError where F is not finite.
template <StiffnessMeasure Measure>
ExactDifference exact_self_check(const Measure& measure, const Oscillator& oscillator,
                                 const SmoothPieces& force, double final_time, std::int64_t samples,
                                 const ExactOptions& options = {}) {
  ExactSolution<Measure> solution(measure, oscillator, force, options);
  ExactSolution<Measure> check(measure, oscillator, force, checking(options));
  const TimeGrid time{.final_time = final_time, .steps = samples};
  ExactDifference difference;
  for (std::int64_t p = 1; p <= samples; ++p) {
    const MassState a = solution.at(time.time(p));
    const MassState b = check.at(time.time(p));
    difference.x = std::max(difference.x, std::abs(a.x - b.x));
    difference.y = std::max(difference.y, std::abs(a.y - b.y));
  }
  return difference;
}

}  // namespace masing
