#include "masing/departure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace masing {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace

double least_span(const Clock& clock, double span) {
  return 4 * epsilon * std::max(std::abs(clock.time), std::min(span, 1.0));
}

int departure(const SmoothPieces& force, const Clock& clock, double resistance, double span) {
  const double now = force(clock.time);
  const double noise = 8 * epsilon * (std::abs(now) + std::abs(resistance));
  double difference = now - resistance;
  for (double h = least_span(clock, span); std::abs(difference) <= noise && h < 2 * span; h *= 2) {
    difference = force(clock.time + std::min(h, span)) - resistance;
  }
  if (std::abs(difference) <= noise) {
    return 0;
  }
  return difference > 0.0 ? 1 : -1;
}

}  // namespace masing
