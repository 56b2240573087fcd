#pragma once

#include <algorithm>
#include <cassert>

namespace rheology {

/// The resolvent of dry friction on one mass, argmin_z ½(z - y)² + bound·|z|:
///     y - clamp(y, -bound, bound),
/// exactly 0 where |y| ≤ bound. `bound` ≥ 0, hα/m for a step h. Local.
/// Source: (2.1) with (4.2), rheological-models-2000.
inline double soft_threshold(double y, double bound) {
  assert(!(bound < 0));
  return y - std::clamp(y, -bound, bound);
}

}  // namespace rheology
