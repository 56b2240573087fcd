#pragma once

#include <memory>
#include <optional>

#include "engine/engine.hpp"
#include "engine/run_spec.hpp"
#include "slab/exact/oscillator_solution.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"

namespace masing::engine {

/// Creates the engine `sweep`, which computes the slab cell by cell. In one pass over its cells,
/// each rank updates and clamps u and sums the forces of the cells. The sums of the ranks are then
/// added as integers, so that the result has the same bits on any number of ranks. With the scheme
/// `euler`, one pass computes two steps. `comm` and `profile` (returned by checked_profile) must
/// outlive the engine. Source: (26), continuous-masing-2001. Collective.
std::unique_ptr<Engine> make_sweep(const parallel::Communicator& comm, const Masing& masing,
                                   const slab::TimeGrid& time, const slab::Profile& profile);

/// Creates the engine that represents the slab by the turning points of x. As all cells are moved
/// by the same increments, the turning points and the distribution of stiffness over η determine
/// the state of the slab. A step costs the same for every P. In exact arithmetic the result is that
/// of make_sweep. Every rank of `comm` computes all steps.
///
/// If `driving` is given, the slab has no mass: x is the prescribed position, or the position at
/// which the slab balances the prescribed force. `start` is the prescribed x(0) or F(0). The result
/// is exact at the steps if the prescribed function is monotone between the steps. y is the
/// difference quotient of x over the last step.
///
/// `profile` has the cells (if P = ∞, the points s) for which this rank computes u. `comm` and
/// `profile` must outlive the engine. Collective.
std::unique_ptr<Engine> make_by_turning_points(const parallel::Communicator& comm,
                                               const Masing& masing, const slab::TimeGrid& time,
                                               const slab::Profile& profile,
                                               std::shared_ptr<const slab::Measure> measure,
                                               std::optional<Driving> driving = {},
                                               double start = 0.0);

// The functions make_exact create engines that compute the exact solution on one rank. Such an
// engine chooses its own time steps, independently of the steps of the run: chunk.times are only
// the times at which the solution is evaluated. At the times T k/8192, k = 1..8192, the solution is
// compared with a second solution that is computed by another method with other tolerances.
// advance() throws UserError if F is not finite, and SystemError if the two solutions differ by
// more than a millionth of the size of the motion.

/// Creates the engine of the exact solution for a slab with a mass. `profile` has all cells (if P =
/// ∞, all points s) for which u is computed. `comm` must have one rank; `comm` and `profile` must
/// outlive the engine. Local.
std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const Masing& masing, const slab::Profile& profile,
                                   std::shared_ptr<const slab::Measure> measure,
                                   const slab::StepControl& options = {});

/// Creates the engine of the exact solution for a model of finitely many elements. `comm` must have
/// one rank and outlive the engine. Throws UserError if the parameters of the model are not valid,
/// or if F at t = 0 is not finite or cannot be resolved. Local.
std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const rheology::ModelSpec& spec);

/// Creates the engine for a model of finitely many elements that may be split over the ranks. The
/// engine computes the steps X⁺ = resolvent(X + h G(t_p, X)). `start` is F(0). `comm` must outlive
/// the engine. Source: (4.2), rheological-models-2000. Collective.
std::unique_ptr<Engine> make_inclusion(const parallel::Communicator& comm, const RunSpec& run,
                                       const rheology::ModelSpec& spec, double start);

}  // namespace masing::engine
