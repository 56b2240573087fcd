#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

namespace masing {

/// A residual g(h) with its slope g'(h) and the point it was found at.
template <class Point>
struct Residual {
  Point point;
  double value;
  double slope;
  double noise;  ///< |g| that is nothing but rounding
};

/// Where g crosses zero between `low` (g < 0) and `high` (g > 0), to rounding: Newton's method,
/// and bisection where it would leave the bracket. `residual(h)` gives a Residual. Returns the
/// last one with its h.
template <class Evaluate>
auto find_crossing(const Evaluate& residual, double low, double high, double guess) {
  using Found = std::invoke_result_t<Evaluate, double>;
  struct Crossing {
    double h;
    Found at;
  };
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  double h = guess > low && guess < high ? guess : 0.5 * (low + high);
  Found at = residual(h);
  // 60 bisections leave no more than rounding of any bracket.
  for (int i = 0; i < 120 && std::abs(at.value) > at.noise; ++i) {
    (at.value < 0.0 ? low : high) = h;
    const double newton = h - at.value / at.slope;
    // Where Newton is slow, every second step halves the bracket, so that it is sure to shrink.
    const bool trusted = newton > low && newton < high && (i < 6 || i % 2 == 0);
    const double next = trusted ? newton : 0.5 * (low + high);
    if (std::abs(next - h) <= epsilon * h || high - low <= epsilon * high) {
      break;
    }
    h = next;
    at = residual(h);
  }
  return Crossing{h, at};
}

/// The cubic with given values and slopes at 0 and h (Hermite's).
struct Cubic {
  double value0;
  double slope0;
  double value1;
  double slope1;
  double h;

  [[nodiscard]] Residual<double> at(double t, double level, int sign) const {
    const double rise = (value1 - value0) / h;
    const double second = (3 * rise - 2 * slope0 - slope1) / h;
    const double third = (slope0 + slope1 - 2 * rise) / (h * h);
    return {t, sign * (value0 - level + t * (slope0 + t * (second + t * third))),
            sign * (slope0 + t * (2 * second + 3 * t * third)),
            std::numeric_limits<double>::epsilon() * (std::abs(value0) + std::abs(value1))};
  }
  /// Where it crosses `level` between 0 and h, upwards (sign +1) or downwards (-1).
  [[nodiscard]] double crossing(double level, int sign) const {
    return find_crossing([&](double t) { return at(t, level, sign); }, 0.0, h,
                         h * (level - value0) / (value1 - value0))
        .h;
  }
};

}  // namespace masing
