#include "base/enclosure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/limits.hpp"

namespace masing::base {

namespace {

constexpr double largest_double = std::numeric_limits<double>::max();
constexpr double least_double = std::numeric_limits<double>::denorm_min();

/// Returns x + y - sum, where `sum` is x + y rounded to a double (Knuth's two-sum).
double rounding_of_sum(double x, double y, double sum) {
  const double y_in_sum = sum - x;
  return (x - (sum - y_in_sum)) + (y - y_in_sum);
}

/// Returns a lower bound of the exact value of a computation that returned x. The error of x must
/// be at most `ulps` units in the last place, unless x is the result of an overflow or an
/// underflow.
double below(double x, int ulps) {
  const double finite = std::min(x, largest_double);
  return finite - (ulps * epsilon * std::abs(finite) + least_double);
}

/// Returns an upper bound of the exact value of a computation that returned x, with an error as in
/// below().
double above(double x, int ulps) {
  return -below(-x, ulps);
}

}  // namespace

double Enclosure::magnitude() const {
  if (std::isnan(low) || std::isnan(high)) {
    return infinity;
  }
  return std::max(std::abs(low), std::abs(high));
}

Enclosure everything() {
  return {-infinity, infinity};
}

Enclosure widened(double low, double high) {
  if (std::isnan(low) || std::isnan(high)) {
    return everything();
  }
  // A positive end is not moved below 0, nor a negative end above 0: rounding does not change the
  // sign of a value.
  return {low >= 0.0 ? std::max(below(low, 2), 0.0) : below(low, 2),
          high <= 0.0 && low < 0.0 ? std::min(above(high, 2), 0.0) : above(high, 2)};
}

Enclosure hull(const Enclosure& a, const Enclosure& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Enclosure operator-(const Enclosure& a) {
  return {-a.high, -a.low};
}

Enclosure operator+(const Enclosure& a, const Enclosure& b) {
  Enclosure sum{std::min(a.low + b.low, largest_double),
                std::max(a.high + b.high, -largest_double)};
  if (rounding_of_sum(a.low, b.low, sum.low) < 0.0) {
    sum.low -= epsilon * std::abs(sum.low);
  }
  if (rounding_of_sum(a.high, b.high, sum.high) > 0.0) {
    sum.high += epsilon * std::abs(sum.high);
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
  // If no product is negative, the result must not contain negative numbers even if a product
  // underflows; if no product is positive, the result must not contain positive numbers.
  const bool alike = (a.low >= 0.0 && b.low >= 0.0) || (a.high <= 0.0 && b.high <= 0.0);
  const bool opposite = (a.low >= 0.0 && b.high <= 0.0) || (a.high <= 0.0 && b.low >= 0.0);
  return {alike ? std::max(below(low, 1), 0.0) : below(low, 1),
          opposite ? std::min(above(high, 1), 0.0) : above(high, 1)};
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

Enclosure operator/(const Enclosure& a, int divisor) {
  return {a.low == 0.0 ? 0.0 : below(a.low / divisor, 1),
          a.high == 0.0 ? 0.0 : above(a.high / divisor, 1)};
}

Enclosure square_of(const Enclosure& a) {
  if (a.low == 0.0 && a.high == 0.0) {
    return {};
  }
  const double low = a.contains(0.0) ? 0.0 : std::min(std::abs(a.low), std::abs(a.high));
  const double high = a.magnitude();
  return widened(low * low, high * high);
}

Enclosure exponential_of(const Enclosure& a) {
  return widened(std::exp(a.low), std::exp(a.high));
}

}  // namespace masing::base
