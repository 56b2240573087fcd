#pragma once

#include <algorithm>
#include <cmath>

namespace rheology {

/// Velocity after dry friction and the friction force that made it so.
struct Friction {
  double velocity = 0.0;
  double force = 0.0;
};

/// Resolvent of α|y| over a step h for a mass m: y⁺ = y - (h/m) g, g ∈ α σ(y⁺), the soft threshold
/// of y by hα/m. Local. Source: (2.1), table I, rheological-models-2000.
inline Friction dry_friction(double velocity, double mass, double bound, double step) {
  const double stopping = mass * velocity / step;
  if (std::abs(stopping) <= bound) {
    return {0.0, stopping};
  }
  const double force = std::copysign(bound, velocity);
  return {velocity - step * force / mass, force};
}

}  // namespace rheology
