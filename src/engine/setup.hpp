#pragma once

#include <memory>
#include <optional>

#include "engine/engine.hpp"
#include "engine/memory_need.hpp"
#include "engine/run_spec.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::engine {

/// The profile of this rank's part of the field, with the arrays that no formula gives. Throws
/// UserError alike on all ranks, for the first cell at fault, or, before anything large is
/// allocated, where the run does not fit into memory. Collective.
slab::Profile checked_profile(const parallel::Communicator& comm, const slab::Slab& slab,
                              const Holding& holding = {});

/// What the exact solution needs of a slab: its distribution of stiffness, of P = ∞ or of P cells,
/// and ∫ k c ds.
struct ExactSlab {
  std::shared_ptr<const slab::Measure> measure;
  double preload = 0.0;
};

/// The ExactSlab of a slab, on a `comm` of one rank. Throws UserError where it is not admissible,
/// or does not fit into memory, Stopped. Local.
ExactSlab exact_slab(const parallel::Communicator& comm, const slab::Slab& slab);

/// An initialised run: its engine at the start and, of a slab, the part of the profile on this
/// rank.
struct Setup {
  std::unique_ptr<slab::Profile> profile;  ///< null for models that are no slab
  std::unique_ptr<Engine> engine;
};

/// The engine of a run of a slab; on several ranks by a sweep or by turning points of cells. `comm`
/// and `profile` (checked_profile's) must outlive it. Throws UserError alike on all ranks where the
/// engine cannot solve the problem. Collective.
std::unique_ptr<Engine> make_engine(const parallel::Communicator& comm, const RunSpec& run,
                                    const slab::Profile& profile);

/// Who makes a run together with this rank: all ranks where it is worth splitting (is_split, by the
/// bytes that the root may allocate, or `available`), else this rank alone. Collective.
parallel::Communicator makers(const parallel::Communicator& comm, const RunSpec& run,
                              std::optional<double> available = {});

/// Initialises a run, on several ranks one that they share (is_split), each with its part of the
/// field. `comm` must outlive it. Throws UserError alike on all ranks where it does not fit into
/// memory, or the engine cannot solve it, Stopped where one is asked to stop. Collective.
Setup make_setup(const parallel::Communicator& comm, const RunSpec& run, Holding holding = {});

/// Checks what only a look shows: every cell, what the engine needs, and what drives the run at
/// every step, or at a million of them; by the root where ranks do not share the run. Throws
/// UserError alike on all ranks. Collective.
void check_run(const parallel::Communicator& comm, const RunSpec& run);

}  // namespace masing::engine
