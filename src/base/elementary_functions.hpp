#pragma once

#include <span>
#include <string_view>

#include "base/limits.hpp"
#include "base/taylor_series.hpp"

namespace masing::base {

/// A function of expressions, its value and its series: of one argument or of two. The others are
/// null.
struct ElementaryFunction {
  std::string_view name;
  double (*value)(double) = nullptr;
  taylor::Series (*one)(const taylor::Series&) = nullptr;
  Enclosure rising{infinity, -infinity};  ///< where it is defined, if it nowhere decreases there
  double (*value_of_two)(double, double) = nullptr;
  taylor::Series (*two)(const taylor::Series&, const taylor::Series&) = nullptr;
};

/// All functions that an expression may use. Where abs(), min(), a wave … is undecided on an
/// interval, the series covers all cases and is not smooth.
std::span<const ElementaryFunction> elementary_functions();

/// Triangle wave: period 1, amplitude 1, 0 at 0 and rising, 1 at ¼, -1 at ¾.
double triangle(double x);
/// Square wave: period 1, +1 on [0, ½), -1 on [½, 1).
double square(double x);
/// Sawtooth wave: period 1, 2x on [0, ½), 2x - 2 on [½, 1): a jump from 1 to -1 at ½.
double sawtooth(double x);

}  // namespace masing::base
