#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "statistics/fit.hpp"

namespace masing::statistics {

/// The levels of a study by what they refine: numbers of cells, of steps, or of both.
struct CountLadder {
  std::vector<std::vector<double>> counts;  ///< [1 or 2][levels], coarse to fine
  bool are_differences = false;             ///< each level is measured against the next
  double most_finer = 16.0;                 ///< how much finer than the last level another may be
};

/// An order that is undecided, with the errors that it was fitted to.
struct UndecidedOrder {
  const Fit* fit = nullptr;
  std::vector<double> steps;   ///< h, [levels]
  std::vector<double> errors;  ///< [levels]
  double floor = 0.0;          ///< of round-off
};

/// A geometric ladder by the counts of its first and last level.
struct DecidingLadder {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> last;
  std::int64_t levels = 0;
};

/// The ladder that would decide orders which are undecided, in at least nine of ten studies; none
/// where none is undecided, or where no ladder of at most 1000 levels, finer than `made` by 16 at
/// most, would. It begins in the asymptotic range. It is finer where the next term of the expansion
/// makes the interval wide, as far as errors are above the round-off floor. The number of levels
/// makes the statistical part of the interval half the tolerance: the slope through n levels evenly
/// spread over L in log h has the standard error σ √12/(L √n), σ the scatter, at the upper end of
/// its own interval. Differences of successive levels of dense ladders are mostly scatter: there
/// only ladders of doublings are named. Local.
std::optional<DecidingLadder> deciding_ladder(const CountLadder& made,
                                              const std::vector<UndecidedOrder>& orders,
                                              double tolerance);

}  // namespace masing::statistics
