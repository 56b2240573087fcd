#pragma once

#include <memory>

#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "slab/exact/exact_solution.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::engine {

// The exact solution as an engine of one rank: chunks only say at which times samples lie,
// chunk.times. A second solution, by another method with other tolerances, is compared with it at
// T k/8192, k = 1..8192, whatever the samples: advance() throws UserError where F is not finite,
// SystemError where the two differ by more than a millionth of x or y.

/// Of a slab. `profile`: all points where u is shown. `comm`, of one rank, and `profile` must
/// outlive the engine. Throws UserError. Local.
std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const Masing& masing, const slab::Profile& profile,
                                   std::shared_ptr<const slab::Measure> measure,
                                   const slab::ExactOptions& options = {});

/// Of a model of finitely many elements. Likewise. Local.
std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const rheology::ModelSpec& spec);

}  // namespace masing::engine
