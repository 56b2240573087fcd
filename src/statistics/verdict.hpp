#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

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
inline std::string to_text(Verdict verdict) {
  constexpr const char* texts[] = {"not as expected", "undefined", "undecided",
                                   "as expected",     "exact",     "not judged"};
  return texts[static_cast<std::size_t>(verdict)];
}

/// As expected where the whole interval observed ± uncertainty lies within the tolerance of the
/// expected order (or above, where "at least" was expected), not as expected where all of it lies
/// outside, else undecided; undefined for NaN. Without an uncertainty, 0, never undecided. Local.
inline Verdict judge(const ExpectedOrder& expected, double observed, double uncertainty,
                     double tolerance) {
  if (std::isnan(observed)) {
    return Verdict::undefined;
  }
  const double low = observed - uncertainty;
  const double high = observed + uncertainty;
  const double lowest = expected.order - tolerance;
  const double highest =
      expected.at_least ? std::numeric_limits<double>::infinity() : expected.order + tolerance;
  if (low >= lowest && high <= highest) {
    return Verdict::as_expected;
  }
  return high < lowest || low > highest ? Verdict::not_as_expected : Verdict::undecided;
}

/// The worst of some; of none, not judged. Local.
inline Verdict worst(const std::vector<Verdict>& verdicts) {
  return verdicts.empty() ? Verdict::not_judged : std::ranges::min(verdicts);
}

}  // namespace masing::statistics
