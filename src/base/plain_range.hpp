#pragma once

#include <functional>
#include <span>

#include "base/enclosure.hpp"
#include "base/operation.hpp"

namespace masing::base {

/// The range of an expression's values over [first, last] by plain interval arithmetic: each
/// operation once, on values alone. It is wider than the true range where the variable occurs more
/// than once, and closes in on it as the interval shortens. It shares nothing with the series of
/// bounds_of(), and can check what follows from them. Not rounded outwards. Everything
/// where a part is not a number. Local.
Enclosure plain_range(std::span<const Operation> operations, double first, double last);

/// Whether `range` finds nothing on [first, last] that the values of f at nine places do not show:
/// on each of its parts J, halved as often as that takes, |J| times the distance of f's range from
/// the polynomial through these values is at most `impulse`. False also where that takes too long,
/// or a value is not finite. Local.
bool shows_all(const std::function<double(double)>& f,
               const std::function<Enclosure(double, double)>& range, double first, double last,
               double impulse);

}  // namespace masing::base
