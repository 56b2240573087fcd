#pragma once

#include <string>

#include "engine/run_spec.hpp"

namespace masing::engine {

/// An elastic motion that grows by more than this factor until T causes a warning.
inline constexpr double warned_growth = 10.0;

/// Returns a warning, or an empty string. It warns if the scheme of a slab or a chain lets an
/// elastic oscillation grow more than tenfold until T, and says with which step the oscillation
/// would grow by a factor of 1.1. It also
/// warns if scheme euler follows a table of t, as of a record, with a step so large that it changes
/// the damping of elastic oscillations: with δt ω ≪ 1 it adds -δt ω/2 to the damping ratio, whereas
/// leapfrog adds nothing and errs by (δt ω)²/24 in the frequency. Throws UserError, with a number
/// of steps that suffices, if the scheme is unstable with the step of the run. Local.
std::string step_advice(const RunSpec& run);

}  // namespace masing::engine
