#pragma once

#include <cstdint>
#include <optional>

#include "slab/steady/period_map.hpp"

namespace masing::slab {

/// Where a motion is that has been followed from a start until it hardly changes any more.
struct Settled {
  PeriodEnd state;
  int multiple = 1;     ///< it repeats itself after so many periods, 1 to 4
  double change = 0.0;  ///< over them, over the size of the motion
  std::int64_t periods = 0;
};

/// Follows a motion from `start`, or x0, y0, u0, until it changes by less than `tolerance` over one
/// to four periods, or for `most_periods`, or until the change ceases to shrink.
Settled settle(const PeriodMap& map, double tolerance = 1e-6, std::int64_t most_periods = 3000,
               const std::optional<PeriodEnd>& start = {});

}  // namespace masing::slab
