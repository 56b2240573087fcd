#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/function.hpp"

// What the operations of functions of time show without values: where they are not smooth, and
// whether they repeat themselves.

namespace masing::base {

/// How many periods from t = 0 on a periodic force is asked for.
inline constexpr double horizon = 8.0;

/// The times in (0, T), increasing, where a force F(t) may not be smooth: those `given` by the
/// user, the points of a table, and the corners and jumps of triangle(), square() and sawtooth()
/// of an affine argument a·t + b. Throws UserError if an expression uses what is not smooth
/// everywhere (abs, min, max, sign, rint, comparisons, ?:, a wave of any other argument) and no
/// breaks are given; of "force", of the second term of a sum of "base-acceleration". Local.
std::vector<double> breaks(const Function& force, double final_time, std::span<const double> given);

/// Whether F(t + period) = F(t) for a sum of functions: of an expression by its structure, every t
/// standing inside sin(), cos(), triangle(), square() or sawtooth() of a·t + b, b a constant or
/// itself such an expression; of a table from t = 0 to `final_time`, of at most `horizon` periods.
/// Local.
bool has_period(const std::vector<Function>& terms, double period, double final_time);

/// Whether F(t + period/2) = -F(t), as far as values show. Local.
bool is_odd(const Function& force, double period);

/// The least common multiple of the periods of sin(), cos(), triangle(), square() and sawtooth() in
/// them, up to 60 times the longest, if they have it, or the part of it after which F repeats
/// itself, as of cos(t)^2; else nothing. Local.
std::optional<double> period_of(const std::vector<Function>& terms, double final_time);

}  // namespace masing::base
