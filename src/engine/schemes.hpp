#pragma once

#include <array>
#include <cstddef>

#include "engine/engine.hpp"
#include "slab/problem.hpp"
#include "slab/scheme.hpp"

namespace masing::engine {

// A slab, for a scheme, is what answers to increments of x with its internal force S:
//   double           slab.after(d)         S after one increment,
//   array<double,2>  slab.after(d1, d2)    S after the first and after both of two increments.

/// The chunk by scheme (26): x⁺ = x + δt y, y⁺ = y + δt/m (F - k0 x - S), the slab moved by δt y.
/// y^{p+1} needs only S^p, so the increments of two steps are known at once and the slab makes them
/// in one go. Collective if the slab is. Source: (26), continuous-masing-2001.
template <typename Slab>
void advance_euler(const slab::Oscillator& oscillator, double step, const Chunk& chunk,
                   slab::MassState& state, Slab& slab) {
  const auto record = [&](std::size_t i) {
    chunk.x[i] = state.x;
    chunk.y[i] = state.y;
    chunk.restoring[i] = slab::restoring_force(oscillator, state);
  };
  const std::size_t steps = chunk.x.size();
  for (std::size_t i = 0; i < steps; i += 2) {
    const double d = step * state.y;
    const slab::MassState next = slab::euler_step(oscillator, step, chunk.force[i], state);
    if (i + 1 == steps) {
      state = next;
      state.internal_force = slab.after(d);
      record(i);
      return;
    }
    const std::array<double, 2> internal_force = slab.after(d, step * next.y);
    state = next;
    state.internal_force = internal_force[0];
    record(i);
    state = slab::euler_step(oscillator, step, chunk.force[i + 1], state);
    state.internal_force = internal_force[1];
    record(i + 1);
  }
}

/// The chunk by velocity Verlet, a = (F - k0 x - S)/m:
///     x⁺ = x + d,  d = δt y + δt²/2 a,     y⁺ = y + δt/2 (a + a⁺).
/// The clamp is exact for a monotone x, so where the parabola turns inside the step (0 < -y/a < δt)
/// the slab goes to its vertex first, by -y²/(2a), and then the rest: else each reversal would lose
/// a part of order δt² that depends on its phase. Second order. Collective if the slab is.
template <typename Slab>
void advance_leapfrog(const slab::Oscillator& oscillator, double step, const Chunk& chunk,
                      slab::MassState& state, Slab& slab) {
  for (std::size_t i = 0; i < chunk.x.size(); ++i) {
    const double a = slab::acceleration(oscillator, chunk.force[i], state);
    const double d = step * state.y + 0.5 * step * step * a;
    const double turn = -state.y / a;
    const bool turns = turn > 0 && turn < step;
    const double vertex = 0.5 * state.y * turn;
    state.x += d;
    state.internal_force = turns ? slab.after(vertex, d - vertex)[1] : slab.after(d);
    const double a_next = slab::acceleration(oscillator, chunk.force[i + 1], state);
    state.y += 0.5 * step * (a + a_next);
    chunk.x[i] = state.x;
    chunk.y[i] = state.y;
    chunk.restoring[i] = slab::restoring_force(oscillator, state);
  }
}

/// The chunk by a scheme. Collective if the slab is.
template <typename Slab>
void advance(slab::Scheme scheme, const slab::Oscillator& oscillator, double step,
             const Chunk& chunk, slab::MassState& state, Slab& slab) {
  switch (scheme) {
    case slab::Scheme::euler:
      return advance_euler(oscillator, step, chunk, state, slab);
    case slab::Scheme::leapfrog:
      return advance_leapfrog(oscillator, step, chunk, state, slab);
  }
}

}  // namespace masing::engine
