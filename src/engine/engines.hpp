#pragma once

#include <memory>
#include <optional>

#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "slab/exact/oscillator_solution.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::engine {

/// Cell by cell: each rank projects its slab of the Vec u and sums its internal force in the same
/// pass; one sum of integers over the ranks joins them, for `euler` of two steps. The same bits on
/// any number of ranks. `comm` and `profile` (checked_profile's) must outlive the engine. Source:
/// (26), continuous-masing-2001. Collective.
std::unique_ptr<Engine> make_sweep(const parallel::Communicator& comm, const Masing& masing,
                                   const slab::TimeGrid& time, const slab::Profile& profile);

/// The same scheme by turning points: every cell sees the same increments, so the slab is known
/// from the turning positions and the distribution of stiffness over η. A step costs the same for
/// every P. In exact arithmetic it is the scheme cell by cell. All ranks step alike: on several a
/// look-up of the measure is collective.
/// `driving`: none of a slab with a mass. Without one it is at prescribed positions, or where it
/// balances a prescribed force, from `start` on, x(0) or F(0); exact at the steps wherever what
/// drives it is monotone between them. y is the difference quotient of x over the last step.
/// `profile`: the points where this rank writes u. `comm` and `profile` must outlive the engine.
/// Collective.
std::unique_ptr<Engine> make_by_turning_points(const parallel::Communicator& comm,
                                               const Masing& masing, const slab::TimeGrid& time,
                                               const slab::Profile& profile,
                                               std::shared_ptr<const slab::Measure> measure,
                                               std::optional<Driving> driving = {},
                                               double start = 0.0);

// The exact solution as an engine of one rank: chunks only say at which times samples lie,
// chunk.times. A second solution, by another method with other tolerances, is compared with it at
// T k/8192, k = 1..8192, whatever the samples: advance() throws UserError where F is not finite,
// SystemError where the two differ by more than a millionth of x or y.

/// Of a slab. `profile`: all points where u is shown. `comm`, of one rank, and `profile` must
/// outlive the engine. Throws UserError. Local.
std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const Masing& masing, const slab::Profile& profile,
                                   std::shared_ptr<const slab::Measure> measure,
                                   const slab::StepControl& options = {});

/// Of a model of finitely many elements. Likewise. Local.
std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const rheology::ModelSpec& spec);

/// Of a model of finitely many elements, of which this rank holds a part: one step X⁺ = resolvent(X
/// + h G(t_p, X)) after another. `start`: F(0). `comm` must outlive the engine. Source: (4.2),
/// rheological-models-2000. Collective.
std::unique_ptr<Engine> make_inclusion(const parallel::Communicator& comm, const RunSpec& run,
                                       const rheology::ModelSpec& spec, double start);

}  // namespace masing::engine
