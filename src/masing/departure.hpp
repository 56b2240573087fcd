#pragma once

#include "masing/clock.hpp"
#include "masing/smooth_pieces.hpp"

namespace masing {

/// Where a mass at rest goes: the sign of F - R at once, or, where F = R to rounding, of the first
/// difference that is more than rounding within `span`; 0 if there is none and it stays at rest.
/// `resistance` is R = k0 x + S. Throws UserError where F is not finite.
int departure(const SmoothPieces& force, const Clock& clock, double resistance, double span);

/// The least span that is a step at all at this time: a few ulp.
double least_span(const Clock& clock, double span);

}  // namespace masing
