#include "base/enclosure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/limits.hpp"

namespace masing::base {

namespace {

constexpr double unit_roundoff = epsilon;
constexpr double unbounded = std::numeric_limits<double>::infinity();

/// What the sum x + y as rounded is less than the sum.
double rounding_of_sum(double x, double y, double sum) {
  const double shown = sum - x;
  return (x - (sum - shown)) + (y - shown);
}

}  // namespace

double Enclosure::magnitude() const {
  if (std::isnan(low) || std::isnan(high)) {
    return unbounded;
  }
  return std::max(std::abs(low), std::abs(high));
}

Enclosure everything() {
  return {-unbounded, unbounded};
}

Enclosure widened(double low, double high) {
  return {low - 2 * unit_roundoff * std::abs(low), high + 2 * unit_roundoff * std::abs(high)};
}

Enclosure hull(const Enclosure& a, const Enclosure& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Enclosure operator-(const Enclosure& a) {
  return {-a.high, -a.low};
}

Enclosure operator+(const Enclosure& a, const Enclosure& b) {
  Enclosure sum{a.low + b.low, a.high + b.high};
  if (rounding_of_sum(a.low, b.low, sum.low) < 0.0) {
    sum.low -= unit_roundoff * std::abs(sum.low);
  }
  if (rounding_of_sum(a.high, b.high, sum.high) > 0.0) {
    sum.high += unit_roundoff * std::abs(sum.high);
  }
  return sum;
}

Enclosure operator*(const Enclosure& a, const Enclosure& b) {
  const bool zero = (a.low == 0.0 && a.high == 0.0) || (b.low == 0.0 && b.high == 0.0);
  if (zero) {
    return {};
  }
  if (!a.is_finite() || !b.is_finite()) {
    return everything();
  }
  const auto [low, high] =
      std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low - unit_roundoff * std::abs(low), high + unit_roundoff * std::abs(high)};
}

Enclosure operator*(double factor, const Enclosure& a) {
  return Enclosure{factor, factor} * a;
}

Enclosure operator/(const Enclosure& a, const Enclosure& b) {
  if (b.contains(0.0) || std::isnan(b.low) || std::isnan(b.high)) {
    return everything();
  }
  return a * widened(1.0 / b.high, 1.0 / b.low);
}

Enclosure square_of(const Enclosure& a) {
  const double low = a.contains(0.0) ? 0.0 : std::min(std::abs(a.low), std::abs(a.high));
  const double high = a.magnitude();
  return widened(low * low, high * high);
}

Enclosure exponential_of(const Enclosure& a) {
  const double high = std::exp(a.high);
  return widened(std::exp(a.low), high > 0.0 ? high : std::numeric_limits<double>::min());
}

}  // namespace masing::base
