#pragma once

#include <string>

#include "study/study_spec.hpp"

namespace masing::study {

struct Study;

/// What an observed order says about the expected one; not judged where none was expected.
/// Exact: no level has an error above the round-off floor, e = C hᵖ with C = 0 for any p.
enum class Verdict { as_expected, not_as_expected, undecided, undefined, exact, not_judged };

/// "as expected", "not as expected", "undecided", "undefined", "exact" or "not judged".
std::string to_text(Verdict verdict);

/// As expected where the whole interval observed ± uncertainty lies within the tolerance of the
/// expected order (or above, where "at least" was expected), not as expected where all of it lies
/// outside, else undecided; undefined for NaN. Without an uncertainty, 0, never undecided. Local.
Verdict judge(const ExpectedOrder& expected, double observed, double uncertainty, double tolerance);

/// The ladder, as --levels takes it ("first:last:count"), that would decide the orders that are
/// undecided in at least nine of ten studies; empty where none is undecided, or where none of at
/// most 1000 levels, finer than the study's by 16 at most, would. It begins in the asymptotic
/// range. It is finer where the next term of the expansion makes the interval wide, as far as
/// errors are above the round-off floor. The count makes the statistical part of the interval half
/// the tolerance: the slope through n levels evenly spread over L in log h has the standard error
/// σ √12/(L √n), σ the scatter, at the upper end of its own interval. Differences of successive
/// levels of dense ladders are mostly scatter: there only ladders of doublings are named. Local.
std::string deciding_levels(const StudySpec& spec, const Study& study);

}  // namespace masing::study
