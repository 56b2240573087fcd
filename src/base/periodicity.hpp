#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/function.hpp"

// The functions of this header examine the operations of a function F of time. They determine at
// which times F may not be smooth, and whether F is periodic.

namespace masing::base {

/// The number of periods, from t = 0 on, over which F is evaluated to compute a limit cycle. A
/// table has to repeat only on this interval.
inline constexpr double horizon = 8.0;

/// Returns the times in (0, T), in increasing order, at which one of `functions` may not be smooth.
/// Each function of time is paired with the name of its quantity, such as "force". T is
/// `final_time`. The returned times are the times `given` by the user, the points of tables, and
/// the corners and jumps of triangle(), square() and sawtooth() of an affine argument a·t + b.
/// Times at which a root, a logarithm or a power is not smooth are not found. Of times that differ
/// by rounding errors only one is returned. Throws UserError, which names the quantity, in two
/// cases. The first is that no times are given and a function uses one of these: abs, min, max,
/// sign, rint, tan, asin, acos, a comparison, &&, ||, ?:, or a wave of an argument that is not
/// affine. The second is that the corners of a wave bring the number of times above 10⁷. Local.
std::vector<double> breaks(const std::vector<std::pair<std::string, Function>>& functions,
                           double final_time, std::span<const double> given);

/// Returns whether the structure of F = `force` shows that F(t + period) = F(t). Every t must be
/// inside sin(), cos(), triangle(), square() or sawtooth() of a·t + b, where b is a constant or
/// again such an expression. `period` must be a multiple of the periods of all these functions; the
/// period π of cos(t)^2 is not recognized. A table must repeat from t = 0 to `final_time`; of
/// this interval, at most the first `horizon` periods are compared. Local.
bool has_period(const Function& force, double period, double final_time);

/// Returns a period of F = `force`, or nothing if none is found: the first for which has_period()
/// is true of the longest period of all sin(), cos(), triangle(), square() and sawtooth() in F, and
/// 2 to 60 times this period. F may repeat sooner, as cos(t)^2 has half the period of cos(t).
/// Local.
std::optional<double> period_of(const Function& force, double final_time);

}  // namespace masing::base
