#pragma once

#include <functional>
#include <utility>

namespace masing::base {

/// Returns the ends of an interval around a root of a continuous function between `low` and `high`,
/// which differ in the last bit or two. `at_low` and `at_high` are the values of the function at
/// `low` and `high`; their product must be ≤ 0. Local. Source: algorithm 748, Alefeld, Potra and
/// Shi, ACM TOMS 21 (1995).
std::pair<double, double> bracket_root(const std::function<double(double)>& function, double low,
                                       double high, double at_low, double at_high);

/// Returns the middle of the interval of bracket_root(). Local.
double root(const std::function<double(double)>& function, double low, double high, double at_low,
            double at_high);

}  // namespace masing::base
