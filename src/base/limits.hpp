#pragma once

#include <limits>

namespace masing::base {

/// The distance from 1 to the next larger double.
inline constexpr double epsilon = std::numeric_limits<double>::epsilon();

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// NaN, which stands for a number that is unknown or not defined.
inline constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace masing::base
