#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace masing {

/// A leg of a hysteresis memory: where it began and where it meets the loop around it.
struct RememberedLeg {
  double position = 0.0;
  double meeting = 0.0;
};

/// u of every cell at one time, from the turning points of its past; plain data.
struct RememberedElongation {
  double x0 = 0.0;                  ///< position where u = u0
  double x = 0.0;                   ///< position now
  int direction = 1;                ///< of the last move, +1 or -1
  std::vector<RememberedLeg> legs;  ///< not yet wiped out, radii shrinking

  /// The elongation u of a cell with yield displacement `threshold` that began at `initial_u`.
  [[nodiscard]] double operator()(double threshold, double initial_u) const {
    double u = initial_u + (x - x0);
    if (!legs.empty() && threshold <= 0.5 * direction * (x - legs.back().position)) {
      u = direction * threshold;
    } else {
      // Radii shrink along the stack: the last turning point that reached the cell set its u.
      const auto after =
          std::partition_point(legs.begin(), legs.end(), [&](const RememberedLeg& leg) {
            return std::abs(leg.position - leg.meeting) >= 2 * threshold;
          });
      if (after != legs.begin()) {
        const RememberedLeg& leg = *std::prev(after);
        u = std::copysign(threshold, leg.position - leg.meeting) + (x - leg.position);
      }
    }
    return std::clamp(u, -threshold, threshold);
  }
};

}  // namespace masing
