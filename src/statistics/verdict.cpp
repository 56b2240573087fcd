#include "statistics/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace masing::statistics {

std::string to_text(Verdict verdict) {
  constexpr const char* texts[] = {"not as expected", "undefined", "undecided",
                                   "as expected",     "exact",     "not judged"};
  return texts[static_cast<std::size_t>(verdict)];
}

Verdict judge(const ExpectedOrder& expected, double observed, double uncertainty,
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

Verdict worst(const std::vector<Verdict>& verdicts) {
  return verdicts.empty() ? Verdict::not_judged : std::ranges::min(verdicts);
}

}  // namespace masing::statistics
