#pragma once

#include "masing/problem.hpp"

namespace masing {

/// The mass at one step: position, velocity and the slab's force S = δs Σ k_i u_i on it.
struct MassState {
  double x = 0.0;
  double y = 0.0;
  double internal_force = 0.0;
};

/// The restoring force F - m x'' = k0 x + S, the ordinate of a hysteresis cycle.
inline double restoring_force(const Oscillator& oscillator, const MassState& state) {
  return oscillator.k0 * state.x + state.internal_force;
}

/// x'' = (F - k0 x - S)/m.
inline double acceleration(const Oscillator& oscillator, double force, const MassState& now) {
  return (force - oscillator.k0 * now.x - now.internal_force) / oscillator.mass;
}

/// Position and velocity one step on; the internal force is left for the slab to say:
///     x⁺ = x + δt y,   y⁺ = y + δt/m (F - k0 x - S).
/// Source: (26a), (26b), continuous-masing-2001.
inline MassState euler_step(const Oscillator& oscillator, double step, double force,
                            const MassState& now) {
  return {now.x + step * now.y, now.y + step * acceleration(oscillator, force, now), 0.0};
}

}  // namespace masing
