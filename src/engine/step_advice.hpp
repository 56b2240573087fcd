#pragma once

#include <string>

#include "engine/run_spec.hpp"

namespace masing::engine {

/// Returns a warning, or an empty string. It warns if the scheme of a slab or a chain lets an
/// elastic oscillation grow more than tenfold until T, and says with which step the oscillation
/// would grow by a factor of 1.1. Throws UserError, with a number of steps that suffices, if the
/// scheme is unstable with the step of the run. Local.
std::string step_advice(const RunSpec& run);

}  // namespace masing::engine
