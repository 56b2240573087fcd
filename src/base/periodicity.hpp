#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/function.hpp"

// What the operations of functions of time show without values: where they are not smooth, and
// whether they repeat themselves.

namespace masing::base {

/// How many periods from t = 0 on a periodic force is asked for.
inline constexpr double horizon = 8.0;

/// The times in (0, T), increasing, where one of some functions of time may not be smooth, each
/// with the quantity that it is, "force": those `given` by the user, the points of a table, and the
/// corners and jumps of triangle(), square() and sawtooth() of an affine argument a·t + b. Throws
/// UserError of that quantity if a function uses what is not smooth everywhere (abs, min, max,
/// sign, rint, comparisons, ?:, a wave of any other argument) and no breaks are given. Local.
std::vector<double> breaks(const std::vector<std::pair<std::string, Function>>& functions,
                           double final_time, std::span<const double> given);

/// Whether F(t + period) = F(t): of an expression by its structure, every t standing inside sin(),
/// cos(), triangle(), square() or sawtooth() of a·t + b, b a constant or itself such an expression;
/// of a table from t = 0 to `final_time`, of at most `horizon` periods. Local.
bool has_period(const Function& force, double period, double final_time);

/// The least common multiple of the periods of sin(), cos(), triangle(), square() and sawtooth() in
/// F, up to 60 times the longest, if F has it, or the part of it after which F repeats itself, as
/// of cos(t)^2; else nothing. Local.
std::optional<double> period_of(const Function& force, double final_time);

}  // namespace masing::base
