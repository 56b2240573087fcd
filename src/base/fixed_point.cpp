#include "base/fixed_point.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"

namespace masing::base {

FixedPoint::FixedPoint(double bound) {
  // Outside this range the unit or its inverse would leave the range of doubles.
  if (!(bound >= 1e-200 && bound <= 1e200)) {
    throw UserError(
        fmt::format("the largest stiffness * threshold is {}; it must lie between 1e-200 and 1e200",
                    to_text(bound)));
  }
  int exponent = 0;
  const double mantissa = std::frexp(bound, &exponent);  // bound = mantissa * 2^exponent
  const int power = mantissa == 0.5 ? exponent - 1 : exponent;
  unit_ = std::ldexp(1.0, power - 62);
  units_per_one_ = std::ldexp(1.0, 62 - power);
}

}  // namespace masing::base
