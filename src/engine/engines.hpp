#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/engine.hpp"
#include "engine/model.hpp"
#include "engine/slab.hpp"
#include "parallel/communicator.hpp"
#include "parallel/vector.hpp"
#include "slab/exact/oscillator_solution.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/measure.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::engine {

/// Creates the engine `sweep`, which computes the slab cell by cell. In one pass over its cells,
/// each rank moves and clamps the elongations v = u - c (see slab::Slab), and sums the forces of
/// the cells. The sums of the ranks are then added as integers, so that the result has the same
/// bits on any number of ranks. With the scheme `euler`, one pass computes two steps. `comm` and
/// `profile` (returned by checked_profile) must outlive the engine. Source: (26),
/// continuous-masing-2001. Collective.
std::unique_ptr<Engine> make_sweep(const parallel::Communicator& comm, const Masing& masing,
                                   const slab::TimeGrid& time, const slab::Profile& profile);

/// Creates the engine `memory`, which represents the slab by the turning points of x. As all cells
/// are moved by the same increments, the turning points and the measure determine the state of the
/// slab. On average over many steps, a step costs one look-up in the measure. In exact arithmetic
/// the result is that of make_sweep. Every rank of `comm` computes all steps. `profile` has the
/// cells (if P = ∞, the points s) for which this rank computes u. `comm` and `profile` must outlive
/// the engine.
///
/// Without a mass, x is the prescribed position (RunSpec::gives_position), or the position at which
/// the slab and the spring k0 balance the prescribed force. The result is exact at the steps if the
/// prescribed function is monotone between the steps. y is the difference quotient of x over the
/// step that ends at the sample, and 0 at step 0. Throws UserError if no position balances F(0).
/// Collective.
std::unique_ptr<Engine> make_memory(const parallel::Communicator& comm, const RunSpec& run,
                                    const Masing& masing, const slab::Profile& profile,
                                    std::shared_ptr<const slab::Measure> measure);

// The functions make_exact create engines that compute the exact solution on one rank. Such an
// engine chooses its own time steps, independently of the steps of the run; it evaluates the
// solution at chunk.times. As soon as a run passes a time T k/8192, k = 1..8192, the engine
// compares the solution at this time with a second one. The second solution of a slab is computed
// by another method with other tolerances; that of a model of finitely many elements by the same
// method with a lower order and shorter steps. advance() throws UserError if F is not finite or
// cannot be resolved. It throws SystemError if the two solutions differ by more than a millionth of
// the size of the motion, or if a solution fails its own checks.

/// Creates the engine of the exact solution for a slab with a mass. `profile` has all cells (if P =
/// ∞, all points s) for which u is computed. `comm` must have one rank; `comm` and `profile` must
/// outlive the engine. Local.
std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const Masing& masing, const slab::Profile& profile,
                                   std::shared_ptr<const slab::Measure> measure,
                                   const slab::StepControl& options = {});

/// Creates the engine of the exact solution for a model of finitely many elements. `comm` must have
/// one rank and outlive the engine. Throws UserError if the parameters of the model are not valid,
/// or if F is not finite at its first samples or cannot be resolved near t = 0. Throws SystemError
/// if the solution cannot begin at t = 0. Local.
std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm, const RunSpec& run,
                                   const rheology::ModelSpec& spec);

/// The field u as a vector that is allocated when it is first requested: most runs with many cells
/// do not need the field.
class LazyField {
 public:
  LazyField(const parallel::Communicator& comm, std::int64_t cells) : comm_(comm), cells_(cells) {}

  /// Computes u in the cells of `profile` from the turning points, and returns it; each rank
  /// computes its own cells. Collective.
  const parallel::Vector& of(const slab::RememberedElongation& u, const slab::Profile& profile) {
    if (!field_) {
      field_.emplace(comm_, cells_);
    }
    const std::span<double> values = field_->values();
    for (std::int64_t i = 0; i < profile.range.size; ++i) {
      values[static_cast<std::size_t>(i)] = u(profile.element(i));
    }
    return *field_;
  }

 private:
  const parallel::Communicator& comm_;
  std::int64_t cells_;
  std::optional<parallel::Vector> field_;
};

}  // namespace masing::engine
