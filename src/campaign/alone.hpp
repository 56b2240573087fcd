#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "campaign/campaign.hpp"
#include "campaign/due.hpp"

namespace masing::campaign {

/// The serialized state of a work that a single rank computes. The array contains the length of the
/// head; then the head, which is the number of completed steps followed by the indices of the
/// units; then the numbers that Work::serialize() saves.
using State = std::vector<double>;

/// Returns the units whose state `state` contains. Local.
Batch units_of(const State& state);
/// Returns the number of completed steps that is stored in `state` (see Work::steps). Local.
std::int64_t steps_of(const State& state);

/// A function that is called on the root between two windows, with the work that the root computes,
/// or null if the root computes none. If `is_due` is true, the function has to write a checkpoint
/// with the states that are then in the argument `saved` of compute_alone(). Local.
using Between = std::function<void(const Work* work, bool is_due)>;

/// Computes units on single ranks with dynamic load balancing: resumes the works whose states are
/// in `saved` (the same on all ranks), and then computes the batches in packing.alone. The root
/// assigns works and batches to the ranks, and computes some of them itself. Each other rank sends
/// requests to the root; the root replies to a request with one work to be resumed, or with as many
/// of the next batches as take about 20 ms. A rank also sends a message if a checkpoint is due or
/// if the rank stops. Each message contains the results of the units that the rank has completed
/// since its last message, and the state of its present work, if there is one. The root writes
/// checkpoints without the other ranks. The root receives messages between the windows of its own
/// work and in base::poll(). The ranks synchronise only at the beginning and at the end.
///
/// Returns true if all units are completed; `saved` is then empty. Returns false if a stop was
/// requested; on the root, `saved` then has the states of all works that are not completed. If
/// works on some ranks throw UserError, throws the error of the lowest of these ranks on all ranks.
/// Collective.
bool compute_alone(const parallel::Communicator& comm, Source& source, Due& due,
                   const Packing& packing, std::vector<State>& saved, const Between& between);

}  // namespace masing::campaign
