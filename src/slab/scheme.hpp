#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/limits.hpp"
#include "slab/problem.hpp"
#include "slab/profile.hpp"

namespace masing::slab {

/// The time schemes of the slab: `euler` is scheme (26) of continuous-masing-2001, `leapfrog` is
/// velocity Verlet.
enum class Scheme { euler, leapfrog };

/// The properties of a scheme. All code that depends on the scheme, except advance(), reads these
/// properties from the table `schemes`, which has one row for each scheme.
struct SchemeInfo {
  Scheme scheme;
  /// The name of the scheme in options and files.
  const char* name;
  /// The order of the errors of x, y and u in δt, in the maximum norm.
  int order;
  /// The largest stable value of δt ω, where ω is elastic_frequency(). If δt ω is larger, elastic
  /// oscillations grow without bound. The value is infinity for a scheme without such a limit.
  double largest_step;
  /// The largest stable value of δt c/m. If δt c/m is larger, damping makes y grow. The value is
  /// infinity for a scheme without such a limit.
  double largest_damped_step;
  /// Whether the scheme multiplies the amplitude of elastic oscillations from t = 0 to T by about
  /// exp((δt ω² - c/m) T/2). In one step the factor is √(1 - δt c/m + ω²δt²), the modulus of the
  /// complex eigenvalues of the scheme. The motion of a run may grow less, because elements that
  /// yield dissipate energy.
  bool amplifies;
};

/// The table of the schemes, one row for each.
inline constexpr SchemeInfo schemes[] = {
    {Scheme::euler, "euler", 1, base::infinity, 2.0, true},
    {Scheme::leapfrog, "leapfrog", 2, 2.0, base::infinity, false}};

/// Returns the row of a scheme in the table `schemes`. Local.
inline const SchemeInfo& info(Scheme scheme) {
  return *std::ranges::find(schemes, scheme, &SchemeInfo::scheme);
}

/// Returns ω = √((k0 + K)/m), where K is elastic_stiffness(): the angular frequency of undamped
/// oscillations so small that no element yields. This is the highest frequency of the model. Local.
inline double elastic_frequency(const Slab& slab, const Oscillator& oscillator) {
  return std::sqrt((oscillator.k0 + elastic_stiffness(slab)) / oscillator.mass);
}

/// Throws UserError, with a number of steps that suffices, if δt·rate exceeds `largest`. `limit` is
/// the formula of the largest step, for the message. Local.
void require_stable(const SchemeInfo& scheme, const TimeGrid& time, double rate, double largest,
                    const std::string& limit);
/// Returns a warning if the scheme lets an elastic oscillation of the angular frequency ω =
/// `frequency`, with c/m = `decay`, grow more than tenfold until T, with the step for which the
/// oscillation would grow by a factor of 1.1; else an empty string. Local.
std::string growth_advice(const SchemeInfo& scheme, const TimeGrid& time, double frequency,
                          double decay);
/// Returns the growth_advice() of a mass on a slab. Throws UserError, with a number of steps that
/// suffices, if the scheme is unstable. Local.
std::string step_advice(const Slab& slab, const Oscillator& oscillator, const SchemeInfo& scheme,
                        const TimeGrid& time);

// The functions below advance the mass, and move the slab through an object of the template type
// AnySlab. Its member function `after` moves the slab by one or two increments d of x, and returns
// the new MassState::internal_force:
//     double           slab.after(d)         returns the force after d,
//     array<double,2>  slab.after(d1, d2)    returns the forces after d1, and after d1 and d2.

/// Computes the steps of a chunk by scheme (26):
///     x⁺ = x + δt y,     y⁺ = y + δt/m (F - k0 x - c y - S),
/// and moves the slab by δt y. y⁺ depends on the force S at the beginning of the step, and not on
/// the force at its end. Therefore the increments of two steps, δt y and δt y⁺, are known before
/// the slab is moved, and one pass moves it by both. Collective if the slab is distributed over
/// ranks. Source: (26), continuous-masing-2001.
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

/// Computes the steps of a chunk by velocity Verlet, which is of second order. With the
/// acceleration a = (F - k0 x - c y - S)/m,
///     x⁺ = x + d,  d = δt y + δt²/2 a,     y⁺ = y + δt/2 (a + a⁺).
/// As a⁺ depends on y⁺, the second equation is solved for y⁺:
///     y⁺ (1 + δt c/2m) = y + δt/2 (a + (F⁺ - k0 x⁺ - S⁺)/m).
/// Moving the slab by d gives the exact S⁺ if x is monotone within the step. The scheme represents
/// x(t) within a step by a parabola. If the vertex of the parabola lies inside the step (0 < -y/a <
/// δt), the slab is first moved to the vertex, by -y²/(2a), and then by the rest of d. Without this
/// split each reversal would cause an error of order δt² that depends on where in the step the
/// reversal lies. Collective if the slab is distributed over ranks.
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
    const double a_next =  // a⁺ without the damping
        (chunk.force[i + 1] - (oscillator.k0 * state.x + oscillator.preload) -
         state.internal_force) /
        oscillator.mass;
    state.y = (state.y + 0.5 * step * (a + a_next)) * shrinkage;
    chunk.x[i] = state.x;
    chunk.y[i] = state.y;
    chunk.restoring[i] = restoring_force(oscillator, state);
  }
}

/// Computes the steps of a chunk by the given scheme. Collective if the slab is distributed over
/// ranks.
template <typename AnySlab>
void advance(Scheme scheme, const Oscillator& oscillator, double step, const Chunk& chunk,
             MassState& state, AnySlab& slab) {
  scheme == Scheme::euler ? advance_euler(oscillator, step, chunk, state, slab)
                          : advance_leapfrog(oscillator, step, chunk, state, slab);
}

}  // namespace masing::slab
