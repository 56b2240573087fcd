#pragma once

#include <string>

#include "study/study_spec.hpp"

namespace masing::study {

/// What an observed order says about the expected one; not judged where none was expected.
enum class Verdict { as_expected, not_as_expected, undecided, undefined, not_judged };

/// "as expected", "not as expected", "undecided", "undefined" or "not judged".
std::string to_text(Verdict verdict);

/// As expected where the whole interval observed ± uncertainty lies within the tolerance of the
/// expected order (or above, where "at least" was expected), not as expected where all of it lies
/// outside, else undecided; undefined for NaN. Without an uncertainty, 0, never undecided. Local.
Verdict judge(const ExpectedOrder& expected, double observed, double uncertainty, double tolerance);

}  // namespace masing::study
