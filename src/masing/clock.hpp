#pragma once

namespace masing {

/// A time that is advanced by many small steps without their rounding adding up: the sum
/// time + rest, |rest| ≤ ½ ulp(time). (Compensated summation, Knuth's two-sum.)
struct Clock {
  double time = 0.0;
  double rest = 0.0;

  /// The same clock `span` later.
  [[nodiscard]] Clock after(double span) const {
    const double part = rest + span;
    const double sum = time + part;
    const double shown = sum - time;
    return {sum, (time - (sum - shown)) + (part - shown)};
  }
  /// The span from here to the time t.
  [[nodiscard]] double until(double t) const { return (t - time) - rest; }
};

}  // namespace masing
