#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/limits.hpp"
#include "slab/problem.hpp"

namespace masing::slab {

/// The time schemes: (26) of continuous-masing-2001, and velocity Verlet.
enum class Scheme { euler, leapfrog };

/// All that is said of a scheme anywhere but in its step (advance): one row a scheme.
struct SchemeInfo {
  Scheme scheme;
  const char* name;  ///< the word for it in options and files
  const char* description;
  int order;            ///< of x, y and u in δt, in the maximum norm
  int steps_per_pass;   ///< steps whose increments are known before a pass over the slab
  double largest_step;  ///< of δt ω, beyond which elastic oscillations blow up; infinity: none
  double largest_damped_step;  ///< of δt c/m, beyond which damping makes y grow; infinity: none
  bool is_papers;              ///< whether the papers' statements are about it
  bool amplifies;              ///< whether elastic oscillations grow, by exp((δt ω² - c/m) T/2)
};

inline constexpr SchemeInfo schemes[] = {
    {Scheme::euler, "euler", "the papers' scheme, of order one", 1, 2, base::infinity, 2.0, true,
     true},
    {Scheme::leapfrog, "leapfrog", "velocity Verlet, of order two", 2, 1, 2.0, base::infinity,
     false, false}};

/// The row of a scheme. Local.
inline const SchemeInfo& info(Scheme scheme) {
  return *std::ranges::find(schemes, scheme, &SchemeInfo::scheme);
}

/// ω = √((k0 + ∫₀¹ k ds)/m), the frequency of small oscillations, in which nothing slides: the
/// fastest there is. The integral by the midpoint rule over 1024 places. Local.
inline double elastic_frequency(const Slab& slab, const Oscillator& oscillator) {
  constexpr int places = 1024;
  double sum = 0.0;
  for (int i = 0; i < places; ++i) {
    sum += slab.stiffness((i + 0.5) / places);
  }
  return std::sqrt((oscillator.k0 + sum / places) / oscillator.mass);
}

/// exp((δt ω² - c/m) T/2): by how much a scheme that amplifies lets an elastic oscillation grow
/// until T, √(1 - δt c/m + ω²δt²) a step; `decay` is c/m. What slides damps, so a run may grow
/// less. Local.
inline double elastic_growth(double frequency, double decay, const TimeGrid& time) {
  return std::exp(0.5 * (time.step() * frequency * frequency - decay) * time.final_time);
}

/// The step δt with which it would be `growth`. Local.
inline double step_for_growth(double frequency, double decay, const TimeGrid& time, double growth) {
  return (2.0 * std::log(growth) / time.final_time + decay) / (frequency * frequency);
}

/// The least number of steps for which δt times `rate`, ω or c/m, is at most `largest`. Local.
inline std::int64_t least_stable_steps(double rate, const TimeGrid& time, double largest) {
  // Counts of steps end at 2^53.
  return static_cast<std::int64_t>(
      std::clamp(std::ceil(rate * time.final_time / largest), 1.0, 0x1p53));
}

// A slab, for a scheme, is what answers to increments of x with its internal force S:
//   double           slab.after(d)         S after one increment,
//   array<double,2>  slab.after(d1, d2)    S after the first and after both of two increments.

/// The chunk by scheme (26): x⁺ = x + δt y, y⁺ = y + δt/m (F - k0 x - c y - S), the slab moved by
/// δt y.
/// y^{p+1} needs only S^p, so the increments of two steps are known at once and the slab makes them
/// in one go. Collective if the slab is. Source: (26), continuous-masing-2001.
template <typename AnySlab>
void advance_euler(const Oscillator& oscillator, double step, const Chunk& chunk, MassState& state,
                   AnySlab& slab) {
  const auto record = [&](std::size_t i) {
    chunk.x[i] = state.x;
    chunk.y[i] = state.y;
    chunk.restoring[i] = restoring_force(oscillator, state);
  };
  const std::size_t steps = chunk.x.size();
  for (std::size_t i = 0; i < steps; i += 2) {
    const double d = step * state.y;
    const MassState next = euler_step(oscillator, step, chunk.force[i], state);
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
    state = euler_step(oscillator, step, chunk.force[i + 1], state);
    state.internal_force = internal_force[1];
    record(i + 1);
  }
}

/// The chunk by velocity Verlet, a = (F - k0 x - c y - S)/m:
///     x⁺ = x + d,  d = δt y + δt²/2 a,     y⁺ = y + δt/2 (a + a⁺),
/// the last solved for y⁺, on which a⁺ depends: y⁺ (1 + δt c/2m) = y + δt/2 (a + (F⁺ - k0 x⁺ -
/// S⁺)/m). The clamp is exact for a monotone x, so where the parabola turns inside the step (0 <
/// -y/a < δt) the slab goes to its vertex first, by -y²/(2a), and then the rest: else each reversal
/// would lose a part of order δt² that depends on its phase. Second order. Collective if the slab
/// is.
template <typename AnySlab>
void advance_leapfrog(const Oscillator& oscillator, double step, const Chunk& chunk,
                      MassState& state, AnySlab& slab) {
  const double shrinkage = 1.0 / (1.0 + 0.5 * step * oscillator.damping / oscillator.mass);
  for (std::size_t i = 0; i < chunk.x.size(); ++i) {
    const double a = acceleration(oscillator, chunk.force[i], state);
    const double d = step * state.y + 0.5 * step * step * a;
    const double turn = -state.y / a;
    const bool turns = turn > 0 && turn < step;
    const double vertex = 0.5 * state.y * turn;
    state.x += d;
    state.internal_force = turns ? slab.after(vertex, d - vertex)[1] : slab.after(d);
    const double a_next =  // without the damping
        (chunk.force[i + 1] - (oscillator.k0 * state.x + oscillator.preload) -
         state.internal_force) /
        oscillator.mass;
    state.y = (state.y + 0.5 * step * (a + a_next)) * shrinkage;
    chunk.x[i] = state.x;
    chunk.y[i] = state.y;
    chunk.restoring[i] = restoring_force(oscillator, state);
  }
}

/// The chunk by a scheme. Collective if the slab is.
template <typename AnySlab>
void advance(Scheme scheme, const Oscillator& oscillator, double step, const Chunk& chunk,
             MassState& state, AnySlab& slab) {
  switch (scheme) {
    case Scheme::euler:
      return advance_euler(oscillator, step, chunk, state, slab);
    case Scheme::leapfrog:
      return advance_leapfrog(oscillator, step, chunk, state, slab);
  }
}

}  // namespace masing::slab
