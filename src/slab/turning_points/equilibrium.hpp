#pragma once

#include "slab/turning_points/turning_points.hpp"

namespace masing::slab {

/// Moves the slab monotonically to the x with k0 x + S(x) = force: from one corner to the next,
/// and on the last leg to the root. Returns false, and moves nothing, where there is
/// none: k0 = 0 and |force| not below `saturation`, the largest S: Measure::total().force. Source:
/// (7) with m = 0, continuous-masing-2001.
bool move_to_equilibrium(TurningPoints& turning_points, double k0, double force, double saturation);

}  // namespace masing::slab
