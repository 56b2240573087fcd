#pragma once

#include <chrono>
#include <cstdint>

#include "campaign/campaign.hpp"

namespace masing::campaign {

/// Decides when the next checkpoint is due: after spec.every units of the source or steps of a work
/// or, if that is 0, at multiples of spec.distance since the construction of this object.
class Due {
 public:
  using Clock = std::chrono::steady_clock;

  /// Only the root counts units: on other ranks Source::count() is not up to date. On the root of
  /// several ranks the schedule by the clock is a little late, which lets the states of the other
  /// ranks arrive before the checkpoint is written. `source` must outlive this object.
  Due(const io::CheckpointSpec& spec, const Source& source, const parallel::Communicator& comm)
      : spec_(spec),
        source_(source),
        by_units_(source.schedules_by_units()),
        is_counted_(spec.scheduled && spec.every > 0 && (!by_units_ || comm.is_root())),
        time_(Clock::now()) {
    if (comm.is_root() && comm.size() > 1) {
      time_ += Clock::duration(spec.distance) / 300;
    }
  }

  /// Whether a checkpoint is due, by the count of units or of the steps of `work`, which is null
  /// between two works, or by the clock.
  [[nodiscard]] bool is_now(const Work* work) const { return count(work) >= next() || by_clock(); }
  [[nodiscard]] bool by_clock() const {
    return spec_.scheduled && spec_.every == 0 && Clock::now() >= time_ + spec_.distance;
  }
  /// The step of a work at which the next checkpoint is due; engine::never if none is due by steps.
  [[nodiscard]] std::int64_t next_step() const { return by_units_ ? engine::never : next(); }
  /// Counts units from those that a checkpoint has, and steps from where `work` begins or is
  /// resumed; null before the first work.
  void begin(const Work* work) {
    if (work == nullptr || !by_units_) {
      count_ = count(work);
    }
  }
  /// Schedules the next checkpoint after one was written, or the state of `work` was sent to the
  /// root.
  void saved(const Work* work) {
    count_ = count(work);
    while (by_clock() && spec_.distance.count() > 0) {
      time_ += spec_.distance;
    }
  }

 private:
  [[nodiscard]] std::int64_t count(const Work* work) const {
    return by_units_ ? source_.count().done : work != nullptr ? work->steps().done : 0;
  }
  [[nodiscard]] std::int64_t next() const {
    return is_counted_ ? count_ + spec_.every : engine::never;
  }

  const io::CheckpointSpec& spec_;
  const Source& source_;
  bool by_units_;
  bool is_counted_;
  std::int64_t count_ = 0;
  Clock::time_point time_;
};

}  // namespace masing::campaign
