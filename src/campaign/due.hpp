#pragma once

#include <chrono>
#include <cstdint>

#include "engine/engine.hpp"
#include "io/specs.hpp"

namespace masing::campaign {

/// When the next checkpoint is due: by a count of steps or units, or by the clock, at multiples of
/// the distance since it was made.
class Due {
 public:
  using Clock = std::chrono::steady_clock;

  /// `grace`: how much later one is due on the root, so that the states of other ranks are there.
  Due(const io::CheckpointSpec& spec, std::int64_t count, Clock::duration grace = {})
      : spec_(spec), count_(count), time_(Clock::now() + grace) {}

  /// Whether one is due at this count, or now.
  [[nodiscard]] bool is_now(std::int64_t count) const {
    return count >= next_count() || by_clock();
  }
  [[nodiscard]] bool by_clock() const {
    return spec_.scheduled && spec_.every == 0 && Clock::now() >= time_ + spec_.distance;
  }
  /// The count at which one is due; engine::never where none is.
  [[nodiscard]] std::int64_t next_count() const {
    return spec_.scheduled && spec_.every > 0 ? count_ + spec_.every : engine::never;
  }
  /// Counts from here, where a work begins or is resumed.
  void count_from(std::int64_t count) { count_ = count; }
  /// A state of this count is saved.
  void saved(std::int64_t count) {
    count_ = count;
    time_ += spec_.distance;
  }

 private:
  const io::CheckpointSpec& spec_;
  std::int64_t count_;
  Clock::time_point time_;
};

}  // namespace masing::campaign
