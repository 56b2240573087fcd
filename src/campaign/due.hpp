#pragma once

#include <chrono>
#include <cstdint>

#include "engine/engine.hpp"
#include "io/specs.hpp"

namespace masing::campaign {

/// Decides when the next checkpoint is due: after spec.every steps or units or, if that is 0, at
/// multiples of spec.distance since the construction of this object.
class Due {
 public:
  using Clock = std::chrono::steady_clock;

  /// `grace`: delay of the schedule by the clock; on the root it lets the states of the other ranks
  /// arrive before the checkpoint is written.
  Due(const io::CheckpointSpec& spec, Clock::duration grace)
      : spec_(spec), time_(Clock::now() + grace) {}

  /// Whether a checkpoint is due, by this count or by the clock.
  [[nodiscard]] bool is_now(std::int64_t count) const {
    return count >= next_count() || by_clock();
  }
  [[nodiscard]] bool by_clock() const {
    return spec_.scheduled && spec_.every == 0 && Clock::now() >= time_ + spec_.distance;
  }
  /// The count at which the next checkpoint is due; engine::never if none is due by count.
  [[nodiscard]] std::int64_t next_count() const {
    return spec_.scheduled && spec_.every > 0 ? count_ + spec_.every : engine::never;
  }
  /// Sets the count from which the next `every` are counted, when a work begins or is resumed.
  void count_from(std::int64_t count) { count_ = count; }
  /// Schedules the next checkpoint after one at this count was written, or its state was sent to
  /// the root.
  void saved(std::int64_t count) {
    count_ = count;
    while (by_clock() && spec_.distance.count() > 0) {
      time_ += spec_.distance;
    }
  }

 private:
  const io::CheckpointSpec& spec_;
  std::int64_t count_ = 0;
  Clock::time_point time_;
};

}  // namespace masing::campaign
