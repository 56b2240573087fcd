#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/function.hpp"

namespace masing::cli {

/// The period of a force, made of expressions without constants: the least common multiple of the
/// periods of sin(), cos(), triangle(), square() and sawtooth() of affine arguments a·t + b in
/// them, where the force has it; nothing where it has none that is found like this. Local.
std::optional<double> force_period(const base::Function& force,
                                   const std::vector<std::string>& texts);

/// Whether F(t + period) = F(t) to rounding, at a number of times. Local.
bool has_period(const base::Function& force, double period);

}  // namespace masing::cli
