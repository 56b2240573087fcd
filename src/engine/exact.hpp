#pragma once

#include <memory>

#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "slab/exact/exact_solution.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::engine {

// The exact solution as an engine: chunks only say at which times samples lie, chunk.times. The
// root integrates and shares what it finds, so that ranks cannot drift apart. At some of the times
// a second solution, by another method with other tolerances, is compared: advance() throws
// UserError where F is not finite, SystemError where the two differ by more than a millionth of x
// or y, alike on all ranks.

/// Of a slab. `profile`: the points where this rank writes u. `comm` and `profile` must outlive the
/// engine. Throws UserError alike on all ranks. Collective.
std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const Masing& masing, const slab::Profile& profile,
                                   std::shared_ptr<const slab::Measure> measure,
                                   const slab::ExactOptions& options = {});

/// Of a model of finitely many elements. `comm` must outlive the engine. Throws likewise.
/// Collective.
std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const rheology::ModelSpec& spec);

}  // namespace masing::engine
