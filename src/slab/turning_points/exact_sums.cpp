#include "slab/turning_points/exact_sums.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"

namespace masing::slab {

namespace {

constexpr int bits = 100;

/// 2¹⁰⁰/C for the smallest power of two C > P·bound.
double units_per_one(const char* what, double bound, std::int64_t cells) {
  if (!(bound >= 1e-200 && bound <= 1e200)) {
    throw base::UserError(fmt::format("the largest {} is {}; it must lie between 1e-200 and 1e200",
                                      what, base::to_text(bound)));
  }
  int exponent = 0;
  std::frexp(bound * static_cast<double>(cells), &exponent);
  return std::ldexp(1.0, bits - exponent);
}

}  // namespace

ExactScale::ExactScale(double stiffness_bound, double force_bound, std::int64_t cells)
    : stiffness_units_(units_per_one("stiffness", stiffness_bound, cells)),
      force_units_(units_per_one("stiffness * threshold", 2 * force_bound, cells)),
      cells_(static_cast<double>(cells)) {}

}  // namespace masing::slab
