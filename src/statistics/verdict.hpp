#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "statistics/fit.hpp"

namespace masing::statistics {

/// The order expected of the errors of a quantity.
struct ExpectedOrder {
  std::string quantity;  ///< x, y, u or u_cells
  double order = 1.0;
  bool at_least = false;  ///< ">=": an order above is as expected, too
};

/// What an observed order says about the expected one, the worst first; not judged where none was
/// expected. Exact: no level has an error above the round-off floor, e = C hᵖ with C = 0, any p.
enum class Verdict { not_as_expected, undefined, undecided, as_expected, exact, not_judged };

/// "not as expected", "undefined", "undecided", "as expected", "exact" or "not judged".
std::string to_text(Verdict verdict);

/// As expected where the whole interval observed ± uncertainty lies within the tolerance of the
/// expected order (or above, where "at least" was expected), not as expected where all of it lies
/// outside, else undecided; undefined for NaN. Without an uncertainty, 0, never undecided. Local.
Verdict judge(const ExpectedOrder& expected, double observed, double uncertainty, double tolerance);

/// The worst of some; of none, not judged. Local.
Verdict worst(const std::vector<Verdict>& verdicts);

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

/// The geometric ladder that would decide orders which are undecided, in at least nine of ten
/// studies: the counts of its first level and of its last, [1 or 2] each, and how many levels it
/// has. Empty where none is undecided, or where no ladder of at most 1000 levels, finer than `made`
/// by 16 at most, would. It begins in the asymptotic range. It is finer where the next term of the
/// expansion makes the interval wide, as far as errors are above the round-off floor. The number of
/// levels makes the statistical part of the interval half the tolerance: the slope through n levels
/// evenly spread over L in log h has the standard error σ √12/(L √n), σ the scatter, at the upper
/// end of its own interval. Differences of successive levels of dense ladders are mostly scatter:
/// there only ladders of doublings are named. Local.
std::vector<std::int64_t> deciding_ladder(const CountLadder& made,
                                          const std::vector<UndecidedOrder>& orders,
                                          double tolerance);

}  // namespace masing::statistics
