#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <span>

// The resolvents of St-Venant elements: beside a spring (dry friction of a mass) and in series with
// one (a bounded elongation).

namespace masing::rheology {

/// The resolvent of St-Venant elements in series with springs: u_i ← clamp(u_i, -η_i, η_i), [n].
/// Local. Source: (2.29) with (4.2), rheological-models-2000.
inline void yield(std::span<double> elongation, std::span<const double> threshold) {
  for (std::size_t i = 0; i < elongation.size(); ++i) {
    elongation[i] = std::clamp(elongation[i], -threshold[i], threshold[i]);
  }
}

/// The resolvent of dry friction on one mass, argmin_z ½(z - y)² + bound·|z|:
///     y - clamp(y, -bound, bound),
/// exactly 0 where |y| ≤ bound. `bound` ≥ 0, hα/m for a step h. Local.
/// Source: (2.1) with (4.2), rheological-models-2000.
inline double soft_threshold(double y, double bound) {
  assert(!(bound < 0));
  return y - std::clamp(y, -bound, bound);
}

/// The dry friction α of a mass on the ground during a step h: y ← soft_threshold(y, hα/m). Returns
/// the friction force, clamp(m y/h, -α, α) with the y before it. Local.
/// Source: (2.1) with (4.2), rheological-models-2000.
inline double slide_on_ground(double mass, double bound, double step, double& velocity) {
  const double friction = std::clamp(mass * velocity / step, -bound, bound);
  velocity = soft_threshold(velocity, step * bound / mass);
  return friction;
}

/// Velocities of two masses after dry friction between them, and what it gave to the first.
struct FrictionContact {
  double first_velocity = 0.0;
  double second_velocity = 0.0;
  double impulse = 0.0;  ///< p, in [-bound, bound]
};

/// The resolvent of dry friction between two masses, with μ = m1 m2/(m1 + m2):
///     p = clamp(μ (y2 - y1), -bound, bound),   y1 ← y1 + p/m1,   y2 ← y2 - p/m2.
/// Masses that stick get the same velocity to the last bit. Masses > 0; `bound` ≥ 0, hα2 for a
/// step h. Local. Source: (2.36), rheological-models-2000.
inline FrictionContact friction_impulse(double first_mass, double second_mass,
                                        double first_velocity, double second_velocity,
                                        double bound) {
  assert(first_mass > 0 && second_mass > 0 && !(bound < 0));
  const double reduced_mass = first_mass / (1 + first_mass / second_mass);
  const double sticking = reduced_mass * (second_velocity - first_velocity);
  if (std::abs(sticking) <= bound) {
    const double common = first_velocity + sticking / first_mass;
    return {common, common, sticking};
  }
  const double impulse = std::copysign(bound, sticking);
  return {first_velocity + impulse / first_mass, second_velocity - impulse / second_mass, impulse};
}

}  // namespace masing::rheology
