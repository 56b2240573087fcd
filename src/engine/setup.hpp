#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/model.hpp"
#include "slab/profile.hpp"

namespace masing::engine {

/// An initialised run: its engine at step 0 and, for a slab, the profile of this rank's cells.
struct Setup {
  std::unique_ptr<slab::Profile> profile;  ///< null if the model is not a slab
  std::unique_ptr<Engine> engine;
};

/// Returns whether `ranks` ranks, if there are several, split a run: whether its parts can be split
/// (Parts), and a step costs at least as much as a step of RunSpec::split_from cells. One rank
/// computes a run that is not split. Local.
bool is_split(const RunSpec& run, int ranks);

/// Returns the bytes that the rank with the most parts needs, including MemoryNeed::extra_bytes, if
/// `ranks` ranks share the parts. Local.
double bytes_a_rank(const MemoryNeed& need, int ranks);

/// Returns a number of bytes as text: "1.5 GiB", "12.3 MiB". Local.
std::string gibibytes(double bytes);

/// Throws UserError if a run on `ranks` ranks does not fit into `available` bytes per rank. Local.
void require_memory(const MemoryNeed& need, int ranks, double available);

/// Initialises a run. If `comm` has several ranks, the ranks must split the run (is_split), and
/// each rank stores a part of the field. `comm` must outlive the result; `available` is the number
/// of bytes that a rank may use, and must be given if other ranks, with runs of their own, use the
/// memory of the same nodes. Throws UserError on all ranks alike if the run does not fit into
/// memory or the engine cannot solve the problem, if step_advice() finds the scheme unstable, and
/// Stopped if a rank is requested to stop. Collective.
Setup make_setup(const parallel::Communicator& comm, const RunSpec& run,
                 std::optional<double> available = {});

/// Returns the values at t = 0 of all functions that drive a run, as the root computes them.
/// Collective.
std::vector<double> drives_at_start(const parallel::Communicator& comm, const RunSpec& run);

/// Checks the parts of a run that require evaluating functions. It sets up the run as make_setup()
/// does, and tests whether the functions that drive the run are finite at the steps. All steps are
/// tested if there are fewer than a million. Of more steps only equally spaced ones are tested, at
/// least half a million. If the ranks do not split the run, the root checks alone. Throws UserError
/// on all ranks alike if a check fails. Collective.
void check_run(const parallel::Communicator& comm, const RunSpec& run);

}  // namespace masing::engine
