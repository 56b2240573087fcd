#pragma once

#include <span>
#include <string_view>

#include "base/taylor_series.hpp"

namespace masing::base {

/// A function of expressions, its value and its series: of one argument, or of two or more, taken
/// one after the other from the left. The others are null.
struct ElementaryFunction {
  std::string_view name;
  double (*value)(double) = nullptr;
  taylor::Series (*one)(const taylor::Series&) = nullptr;
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

namespace masing::base::taylor {

/// What is known of a condition; nothing where what it compares may be undefined.
enum class Truth { no, maybe, yes };

/// a ≠ 0.
Truth truth(const Series& a);
/// a < b.
Truth less(const Series& a, const Series& b);
/// a = b.
Truth equal(const Series& a, const Series& b);
Truth negation(Truth a);
/// 1 or 0, anything between where undecided; smooth if `a` and `b`, which were compared, are.
Series logical(Truth value, const Series& a, const Series& b);

}  // namespace masing::base::taylor
