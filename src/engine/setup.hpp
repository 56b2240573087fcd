#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "slab/chain/chain.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::engine {

/// The memory that a run needs, with its parts: the cells of a slab, the elements of a chain, or
/// the columns of the state of any other model.
struct MemoryNeed {
  std::int64_t count = 1;       ///< the number of parts, on all ranks together
  const char* parts = "cells";  ///< what the parts are, for messages
  int ranks = 1;
  double bytes_each = 8.0;  ///< the bytes that a part needs
  /// The bytes of other data that the rank stores at the same time.
  double extra_bytes = 0.0;
};

/// Returns whether `ranks` ranks, if there are several, split a run. They do if the run is a sweep
/// or a chain of slabs, and if a step costs at least as much as a step of RunSpec::split_from
/// cells. One rank computes a run that is not split. Local.
bool is_split(const RunSpec& run, int ranks);

/// Returns the memory need of a run on `ranks` ranks. The need does not depend on P if the run uses
/// the engine of turning points and slab::has_smooth_cells() is true. In all other cases a cell of
/// a slab needs these bytes:
///     8 for u, and for each of k, η, u0 and c that needs an array
///     8 for u beside v, if a sweep computes v = u - c (see slab::Slab)
///     24 for the table with sums over the cells (slab::make_cell_measure), unless it is a sweep
///     72 for three lists beside the table, if v(0) is not 0 everywhere
/// Evaluates the functions of a slab in at most three cells to estimate which arrays the profile of
/// the slab needs. If the run is no sweep and has more than slab::most_tabled_cells cells, the
/// function takes some milliseconds. Local.
MemoryNeed memory_need(const RunSpec& run, int ranks);

/// Returns the bytes that the rank with the most parts needs, including MemoryNeed::extra_bytes.
/// Local.
double bytes_a_rank(const MemoryNeed& need);

/// Returns a number of bytes as text: "1.5 GiB", "12.3 MiB". Local.
std::string gibibytes(double bytes);

/// Throws UserError if a run does not fit into `available` bytes per rank. Local.
void require_memory(const MemoryNeed& need, double available);

/// Returns the profile of this rank's cells, with arrays for those of k, η, u0 and c that are not
/// given by a formula. For the engine of turning points on one rank, the profile has no arrays if
/// slab::has_smooth_cells() is true, and evaluates the functions at each call. Throws UserError on
/// all ranks alike if values are invalid; the message names the first place with such values. Also
/// throws UserError, before large arrays are allocated, if the run does not fit into memory, and
/// Stopped if a stop is requested. `available` is the number of bytes that a rank may use; it must
/// be given if other ranks, with runs of their own, use the memory of the same nodes. Collective.
slab::Profile checked_profile(const parallel::Communicator& comm, const slab::Slab& slab,
                              Method method = Method::sweep, std::optional<double> available = {});

/// Returns the data of a slab that is a shape of a chain (Method::memory), or for the exact
/// solution. `comm` must have one rank. Throws UserError if the slab is invalid or does not fit
/// into memory, and Stopped if a stop is requested. Local.
slab::BuiltSlab built_slab(const parallel::Communicator& comm, const slab::Slab& slab,
                           Method method);

/// An initialised run: its engine at step 0 and, for a slab, the profile of this rank's cells.
struct Setup {
  std::unique_ptr<slab::Profile> profile;  ///< null if the model is not a slab
  std::unique_ptr<Engine> engine;
};

/// Creates the engine of a run whose model is a slab. With several ranks the engine must be a
/// sweep. `comm` and `profile` (returned by checked_profile) must outlive the engine. Throws
/// UserError on all ranks alike if the engine cannot solve the problem, and Stopped if a stop is
/// requested. Collective.
std::unique_ptr<Engine> make_engine(const parallel::Communicator& comm, const RunSpec& run,
                                    const slab::Profile& profile);

/// Initialises a run. If `comm` has several ranks, the ranks must split the run (is_split), and
/// each rank stores a part of the field. `comm` must outlive the result; `available` is that of
/// checked_profile(). Throws UserError on all ranks alike if the run does not fit into memory or
/// the engine cannot solve the problem, if step_advice() finds the scheme unstable, and Stopped if
/// a rank is requested to stop. Collective.
Setup make_setup(const parallel::Communicator& comm, const RunSpec& run,
                 std::optional<double> available = {});

/// Returns the values at t = 0 of all functions that drive a run, as the root computes them.
/// Collective.
std::vector<double> drives_at_start(const parallel::Communicator& comm, const RunSpec& run);

/// Checks the parts of a run that require evaluating functions. It sets up the run as make_setup()
/// does, and tests whether the functions that drive the run are finite at the steps. All steps are
/// tested if there are fewer than a million. Of more steps only equally spaced ones are tested, at
/// least half a million. If `checks_setup` is false, the setup is left out, because it was already
/// checked. If the ranks do not split the run, the root checks alone. Throws UserError on all ranks
/// alike if a check fails. Collective.
void check_run(const parallel::Communicator& comm, const RunSpec& run, bool checks_setup = true);

}  // namespace masing::engine
