#pragma once

#include "slab/problem.hpp"

namespace masing::slab {

/// ω = √((k0 + ∫₀¹ k ds)/m), the frequency of small oscillations, in which nothing slides: the
/// fastest there is. The integral by the midpoint rule over 1024 places. Local.
double elastic_frequency(const Problem& problem);

/// exp(δt ω² T/2): by how much `euler` lets an elastic oscillation grow until T, |1 + iωδt| a step.
/// What slides damps, so a run may grow less. Local.
double elastic_growth(double frequency, const TimeGrid& time);

/// The step δt with which it would be `growth`. Local.
double step_for_growth(double frequency, const TimeGrid& time, double growth);

/// The least steps with which `leapfrog` is stable: δt ≤ 2/ω. Local.
std::int64_t least_stable_steps(double frequency, const TimeGrid& time);

}  // namespace masing::slab
