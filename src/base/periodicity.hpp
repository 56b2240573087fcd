#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/function.hpp"

// The functions of this header examine the operations of a function of time, F, to determine at
// which times F may not be smooth, and whether F is periodic.

namespace masing::base {

/// The number of periods from t = 0 on over which a periodic force is used. A table has to repeat
/// only on this interval.
inline constexpr double horizon = 8.0;

/// Returns the times in (0, T), in increasing order, at which one of `functions` may not be smooth.
/// Each function of time is paired with the name of its quantity, such as "force". T is
/// `final_time`. The returned times are the times `given` by the user, the points of tables, and
/// the corners and jumps of triangle(), square() and sawtooth() of an affine argument a·t + b.
/// Throws UserError, which names the quantity, if no times are given and a function uses an
/// operation that is not smooth everywhere (abs, min, max, sign, rint, tan, asin, acos, a
/// comparison, &&, ||, ?:, or a wave of an argument that is not affine), or if a function has more
/// than 10⁷ corners. Local.
std::vector<double> breaks(const std::vector<std::pair<std::string, Function>>& functions,
                           double final_time, std::span<const double> given);

/// Returns whether F(t + period) = F(t) for F = `force`. For an expression its structure decides:
/// every t must be inside sin(), cos(), triangle(), square() or sawtooth() of a·t + b, where b is a
/// constant or again such an expression, and `period` must be a multiple of the periods of all
/// these functions. A table must repeat from t = 0 to `final_time`, but at most over `horizon`
/// periods. Local.
bool has_period(const Function& force, double period, double final_time);

/// Returns a period of F = `force`, or nothing if none is found. The period is the least common
/// multiple of the periods of all sin(), cos(), triangle(), square() and sawtooth() in F, provided
/// that it is at most 60 times the longest of these and F repeats after it. If F also repeats after
/// a fraction of this multiple, as cos(t)^2 does, the fraction is returned. Local.
std::optional<double> period_of(const Function& force, double final_time);

}  // namespace masing::base
