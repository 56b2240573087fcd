#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "campaign/campaign.hpp"

namespace masing::campaign {

/// Decides when the next checkpoint is due. If spec.scheduled is false, none is ever due. If
/// spec.every > 0, a checkpoint is due after every spec.every more of what Source::count() counts.
/// If spec.every is 0, a checkpoint is due by the clock: at multiples of the time spec.distance
/// after the construction of this object.
class Due {
 public:
  using Clock = std::chrono::steady_clock;

  /// A checkpoint by the clock is due a little later on the root than on other ranks, so that their
  /// states arrive before the root writes it. `spec` and `source` must outlive this object.
  Due(const io::CheckpointSpec& spec, const Source& source, const parallel::Communicator& comm)
      : spec_(spec), source_(source), time_(Clock::now()) {
    if (comm.is_root() && comm.size() > 1) {
      time_ += Clock::duration(spec.distance) / 300;
    }
  }

  /// Returns whether a checkpoint is due by the count or by the clock. The result counts on the
  /// root and, by the clock, on each rank that computes alone. Local.
  [[nodiscard]] bool is_now() const { return source_.count().done >= next_ || by_clock(); }
  /// Returns whether a checkpoint is due by the clock. Local.
  [[nodiscard]] bool by_clock() const {
    return spec_.scheduled && spec_.every == 0 && Clock::now() >= time_ + spec_.distance;
  }
  /// Returns the step at which the next checkpoint is due if the source counts steps, otherwise
  /// engine::never. Local.
  [[nodiscard]] std::int64_t next_step() const {
    return source_.unit_name() == "steps" ? next_ : engine::never;
  }
  /// Schedules the next checkpoint. It must be called before the first work, and after a checkpoint
  /// was written or the state of a work was sent to the root. Local.
  void schedule() {
    next_ = spec_.scheduled && spec_.every > 0 ? source_.count().done + spec_.every : engine::never;
    while (by_clock() && spec_.distance.count() > 0) {
      time_ += spec_.distance;
    }
  }

 private:
  const io::CheckpointSpec& spec_;
  const Source& source_;
  std::int64_t next_ = engine::never;  // the count at which the next checkpoint is due
  Clock::time_point time_;
};

/// The state of a work that a single rank computes. A State without numbers is that of a work which
/// has not begun.
struct State {
  std::int64_t steps = 0;            ///< the completed steps, see Work::steps()
  Batch units = {};                  ///< see Work::units(); none if there is nothing to save
  std::vector<double> numbers = {};  ///< what Work::serialize() saves

  void fields(engine::Archive& archive) {
    std::vector<double> list(units.begin(), units.end());
    archive.scalars("steps", steps);
    archive.numbers("units", list);
    archive.numbers("numbers", numbers);
    units.assign(list.begin(), list.end());
  }
};

/// A function that is called on the root between two windows. `work` is the work that the root
/// computes, or null if it computes none. If `is_due` is true, the function has to write a
/// checkpoint with the states that the argument `saved` of compute_alone() then contains. Local.
using Between = std::function<void(const Work* work, bool is_due)>;

/// Computes units on single ranks with dynamic load balancing. First resumes the works whose states
/// are in `saved`, which must be the same on all ranks; then computes the batches in packing.alone.
/// The root assigns works and batches to the ranks, and computes some of them itself. Each other
/// rank sends requests to the root. The root replies with one work to be resumed, or with the next
/// batch. A rank also sends a message when a checkpoint is due and when the rank stops, because of
/// a stop request or of a UserError. Each message contains the results of the units that were
/// completed after the rank's previous message. It also contains the state of the rank's present
/// work, if there is one. The root writes checkpoints without the other ranks. It receives messages
/// between the windows of its own work and in base::poll(). When the campaign stops, it sends an
/// empty share to all ranks, which look for it likewise. The ranks synchronise only at the
/// beginning and at the end.
///
/// Returns true if all units are completed; `saved` is then empty. Returns false if a stop was
/// requested; on the root, `saved` then has the states of the works that were begun but not
/// completed. If works throw UserError on some ranks, all ranks throw the error of the lowest of
/// these ranks. Collective.
bool compute_alone(const parallel::Communicator& comm, Source& source, Due& due,
                   const Packing& packing, std::vector<State>& saved, const Between& between);

}  // namespace masing::campaign
