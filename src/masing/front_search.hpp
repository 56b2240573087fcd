#pragma once

#include <algorithm>
#include <cstdint>

namespace masing {

/// Finds how many entries of a nondecreasing sequence a slowly moving front has passed: looks first
/// where the front would be at its last speed, then ever farther away. The answer does not depend
/// on the memory of the last look-ups; only the cost does. Not for concurrent use.
class FrontSearch {
 public:
  /// The number of entries ≤ `r` of the `size` entries at(0) ≤ at(1) ≤ …. Local.
  template <class At>
  std::int64_t passed(const At& at, std::int64_t size, double r) {
    const std::int64_t guess = std::clamp<std::int64_t>(expected(), 0, size);
    // Entries before `low` are ≤ r, entries from `high` on are > r.
    std::int64_t low = guess;
    std::int64_t high = guess;
    std::int64_t stride = 1;
    if (guess < size && at(guess) <= r) {
      for (low = guess + 1; low + stride <= size && at(low + stride - 1) <= r; stride *= 2) {
        low += stride;
      }
      high = std::min(size, low + stride - 1);
    } else {
      for (; high >= stride && at(high - stride) > r; stride *= 2) {
        high -= stride;
      }
      low = std::max<std::int64_t>(0, high - stride + 1);
    }
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (at(middle) <= r) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    speed_ = low - last_;
    last_ = low;
    return low;
  }

  /// Where the next look-up is expected to end, not limited to the sequence. Local.
  [[nodiscard]] std::int64_t expected() const { return last_ + speed_; }

 private:
  std::int64_t last_ = 0;
  std::int64_t speed_ = 0;
};

}  // namespace masing
