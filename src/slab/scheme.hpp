#pragma once

#include <cstdint>
#include <limits>

#include "slab/problem.hpp"

namespace masing::slab {

/// The time schemes: (26) of continuous-masing-2001, and velocity Verlet.
enum class Scheme { euler, leapfrog };

/// All that is said of a scheme anywhere but in its step (engine/schemes.hpp): one row a scheme.
struct SchemeInfo {
  Scheme scheme;
  const char* name;  ///< the word for it in options and files
  const char* description;
  int order;            ///< of x, y and u in δt, in the maximum norm
  int steps_per_pass;   ///< steps whose increments are known before a pass over the slab
  double largest_step;  ///< of δt ω, beyond which elastic oscillations blow up; infinity: none
  bool amplifies;       ///< whether elastic oscillations grow at any step, by exp(δt ω² T/2)
};

inline constexpr SchemeInfo schemes[] = {
    {Scheme::euler, "euler", "the papers' scheme, of order one", 1, 2,
     std::numeric_limits<double>::infinity(), true},
    {Scheme::leapfrog, "leapfrog", "velocity Verlet, of order two", 2, 1, 2.0, false}};

/// The row of a scheme. Local.
const SchemeInfo& info(Scheme scheme);

/// ω = √((k0 + ∫₀¹ k ds)/m), the frequency of small oscillations, in which nothing slides: the
/// fastest there is. The integral by the midpoint rule over 1024 places. Local.
double elastic_frequency(const Slab& slab, const Oscillator& oscillator);

/// exp(δt ω² T/2): by how much a scheme that amplifies lets an elastic oscillation grow until T,
/// |1 + iωδt| a step. What slides damps, so a run may grow less. Local.
double elastic_growth(double frequency, const TimeGrid& time);

/// The step δt with which it would be `growth`. Local.
double step_for_growth(double frequency, const TimeGrid& time, double growth);

/// The least number of steps for which δt ω ≤ `largest`. Local.
std::int64_t least_stable_steps(double frequency, const TimeGrid& time, double largest);

}  // namespace masing::slab
