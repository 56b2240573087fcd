#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace masing::statistics {

/// The order of convergence that is expected for the errors of one quantity.
struct ExpectedOrder {
  std::string quantity;  ///< x, y, u or u_cells
  double order = 1.0;
  bool at_least = false;  ///< whether a higher order also counts as expected (">=")
};

/// The result of the comparison of an observed order with the expected one; the values are listed
/// from the worst to the best. `as_expected`: the whole interval of the observed order lies within
/// the tolerance of the expected one. `not_as_expected`: the whole interval lies outside of the
/// tolerance. `undecided`: only a part of the interval lies within the tolerance. `undefined`: no
/// order was observed. `exact`: no level has an error above the round-off floor, so that the law C
/// hᵖ of the errors has C = 0 and p can be any order. `not_judged`: no order was expected.
enum class Verdict { not_as_expected, undefined, undecided, as_expected, exact, not_judged };

/// Returns a verdict in words: "not as expected", "undefined", "undecided", "as expected", "exact"
/// or "not judged". Local.
inline std::string to_text(Verdict verdict) {
  constexpr const char* texts[] = {"not as expected", "undefined", "undecided",
                                   "as expected",     "exact",     "not judged"};
  return texts[static_cast<std::size_t>(verdict)];
}

/// Returns the verdict on an observed order. It depends on where the interval observed ±
/// uncertainty lies, as Verdict describes; with ExpectedOrder::at_least, all orders above the
/// expected one count as within the tolerance. The verdict is undefined if `observed` is NaN. If
/// `uncertainty` is 0, the verdict is never undecided. Local.
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

/// Returns the worst of the verdicts, or not_judged if there are none. Local.
inline Verdict worst(const std::vector<Verdict>& verdicts) {
  return verdicts.empty() ? Verdict::not_judged : std::ranges::min(verdicts);
}

}  // namespace masing::statistics
