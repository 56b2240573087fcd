#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "campaign/campaign.hpp"
#include "campaign/due.hpp"

namespace masing::campaign {

/// The serialized state of a work on one rank: the length of a head, the head (its step and its
/// units), and the numbers that the work serializes.
using State = std::vector<double>;

/// The units of a state. Local.
Batch units_of(const State& state);
/// The step of a state, of the run with the most steps. Local.
std::int64_t steps_of(const State& state);

/// Called on the root between windows with its work, or null if it has none. `is_due`: a checkpoint
/// has to be written now, with the states that are in `saved` of compute_alone(). Local.
using Between = std::function<void(const Work* work, bool is_due)>;

/// Resumes the works of `saved`, alike on all ranks, and computes packing.alone, on single ranks
/// with dynamic load balancing; the root is manager and worker. It replies to a request for work
/// with the next batches, enough for about 20 ms, or with a work to resume. A rank sends the
/// results of completed units with each message, and the state of its work when a checkpoint is due
/// or when it stops. The root writes checkpoints without the other ranks. It receives messages
/// between the windows of its own work and in base::poll(). The ranks synchronise only at the begin
/// and at the end.
///
/// Returns true if all are completed; `saved` is then empty. Returns false if a stop was requested;
/// `saved` has then, on the root, the states of all works that are not completed. If any rank met a
/// UserError, throws that of the lowest such rank on all ranks. Collective.
bool compute_alone(const parallel::Communicator& comm, Source& source, Due& due,
                   const Packing& packing, std::vector<State>& saved, const Between& between);

}  // namespace masing::campaign
