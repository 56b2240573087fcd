#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/function.hpp"
#include "cli/keys.hpp"

// Parsing of constants and expressions: named constants (--let "w=0.8") and numbers that are given
// as expressions of them; where a force is not smooth, and its period.

namespace masing::cli {

/// The values of constants, each a number or an expression of others, in any order. Throws
/// UserError, with its origin, for a name that is none or has a meaning in expressions (sin, pi,
/// t), a name that is not known, a cycle, and a value that is not finite. Local.
Constants resolved(const std::vector<Setting>& lets);

/// The finite number that a text is, or that an expression of constants has as its value. Throws
/// UserError. Local.
double number(const std::string& text, const Constants& constants);

/// The same of a whole number, which an expression may miss by its rounding. Throws UserError.
/// Local.
std::int64_t integer(const std::string& text, const Constants& constants);

/// Whether a number, or one of a list of them, is given as an expression. Local.
bool is_calculated(const std::string& text);

/// An expression with the value of each constant in its place: the same function to the bit, from a
/// text that needs no constants. Local.
std::string without_constants(const std::string& text, const Constants& constants);

/// The times in (0, T), increasing, where a force F(t) may not be smooth: those `given` by the
/// user, the points of a table, and the corners and jumps of triangle(), square() and sawtooth()
/// of an affine argument a·t + b. Throws UserError if an expression uses what is not smooth
/// everywhere (abs, min, max, sign, rint, comparisons, ?:, a wave of any other argument) and no
/// breaks are given; the message names --force, of the second term of a sum --base-acceleration.
/// Local.
std::vector<double> force_breaks(const base::Function& force, double final_time,
                                 std::span<const double> given);

/// Whether F(t + period) = F(t) for a sum of functions: of an expression by its structure
/// (base::frequencies), of a table from t = 0 to `final_time`, of at most PeriodicForce::horizon
/// periods. Local.
bool has_period(const std::vector<base::Function>& terms, double period, double final_time);

/// The least common multiple of the periods of sin(), cos(), triangle(), square() and sawtooth() in
/// them, up to 60 times the longest, if they have it, or the part of it after which F repeats
/// itself, as of cos(t)^2; else nothing. Local.
std::optional<double> force_period(const std::vector<base::Function>& terms, double final_time);

}  // namespace masing::cli
