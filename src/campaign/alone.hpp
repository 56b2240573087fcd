#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "campaign/campaign.hpp"
#include "campaign/due.hpp"

namespace masing::campaign {

/// The state of a work that a single rank computes.
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
/// rank sends requests to the root. The root replies with one work to be resumed, or with some of
/// the next batches: in general as many as take 20 ms or, for more than 100 ranks, longer. A rank
/// also sends a message when a checkpoint is due and when the rank stops, because of a stop request
/// or of a UserError. Each message contains the results of the units that were completed after the
/// rank's previous message. It also contains the state of the rank's present work, if there is one.
/// The root writes checkpoints without the other ranks. It receives messages between the windows of
/// its own work and in base::poll(). When the campaign stops, it sends an empty share to all ranks,
/// which look for it likewise. The ranks synchronise only at the beginning and at the end.
///
/// Returns true if all units are completed; `saved` is then empty. Returns false if a stop was
/// requested; on the root, `saved` then has the states of the works that were begun but not
/// completed. If works throw UserError on some ranks, all ranks throw the error of the lowest of
/// these ranks. Collective.
bool compute_alone(const parallel::Communicator& comm, Source& source, Due& due,
                   const Packing& packing, std::vector<State>& saved, const Between& between);

}  // namespace masing::campaign
