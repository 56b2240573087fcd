#include "statistics/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace masing::statistics {

std::string to_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::as_expected:
      return "as expected";
    case Verdict::not_as_expected:
      return "not as expected";
    case Verdict::undecided:
      return "undecided";
    case Verdict::undefined:
      return "undefined";
    case Verdict::exact:
      return "exact";
    default:
      return "not judged";
  }
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
  for (const Verdict verdict : {Verdict::not_as_expected, Verdict::undefined, Verdict::undecided,
                                Verdict::as_expected, Verdict::exact}) {
    if (std::ranges::find(verdicts, verdict) != verdicts.end()) {
      return verdict;
    }
  }
  return Verdict::not_judged;
}

}  // namespace masing::statistics
