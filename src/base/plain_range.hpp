#pragma once

#include <span>

#include "base/enclosure.hpp"
#include "base/expression.hpp"

namespace masing::base {

/// The range of an expression's values over [first, last] by plain interval arithmetic: each
/// operation once, on values alone. It is wider than the true range where the variable occurs more
/// than once, and closes in on it as the interval shortens. It shares nothing with the series of
/// bounds_of(), and can check what follows from them. Not rounded outwards. Everything where a part
/// is not a number. Local.
Enclosure plain_range(std::span<const Operation> operations, double first, double last);

}  // namespace masing::base
