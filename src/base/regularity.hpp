#pragma once

#include <functional>

#include "base/function.hpp"

namespace masing::base {

/// How a function behaves where it varies fastest.
enum class Smoothness { lipschitz, unbounded_slope, jump, not_finite };

/// What a look at a function on an interval shows.
struct Regularity {
  Smoothness smoothness = Smoothness::lipschitz;
  double place = 0.0;     ///< where it is steepest, jumps or is not finite
  double slope = 0.0;     ///< the largest difference quotient found
  double exponent = 1.0;  ///< a with |f - f(place)| ~ |s - place|ᵃ there; 0 for a jump
};

/// The regularity of `function` on [first, last]: difference quotients over 4096 intervals and
/// between the points of a table, and where they or their changes are largest, and at both ends,
/// over halves of halves down to rounding: bounded of a Lipschitz function, growing like h^(a-1) at
/// a singularity of exponent a < 0.98. What happens between two of the places alone is not seen.
/// Local.
Regularity regularity(const Function& function, double first, double last);

}  // namespace masing::base
