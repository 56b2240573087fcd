#pragma once

#include <span>

#include "base/enclosure.hpp"
#include "base/expression.hpp"

namespace masing::support {

/// Returns the range of the values of an expression over [first, last], computed by plain interval
/// arithmetic: each operation is evaluated once, on intervals of values without derivatives. The
/// result may be wider than the true range, mainly if the variable occurs more than once; the
/// shorter the interval, the smaller the excess. The result is not rounded outwards. The interval
/// arithmetic of this function is independent of that of bounds_of(), so that it can check
/// bounds_of(). Arguments at which the expression has no value are ignored.
/// Both ends of the result are NaN if it was found that the expression has no value on the whole of
/// [first, last]. If only one end of the range of an operation is NaN, as after ∞ - ∞, this range
/// is replaced by [-∞, ∞]. Local.
base::Enclosure plain_range(std::span<const base::Operation> operations, double first, double last);

}  // namespace masing::support
