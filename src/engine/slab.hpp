#pragma once

#include <memory>

#include "engine/engine.hpp"
#include "engine/model.hpp"
#include "slab/profile.hpp"

namespace masing::engine {

/// The continuous Masing model. Source: (7), continuous-masing-2001. If the mass is 0, the model is
/// quasi-static: F = k0 x + ∫ k u ds, driven by F(t) or x(t), and only the slab, k0 and x0 are
/// used.
struct Masing {
  slab::Slab slab;
  slab::Oscillator oscillator;
  slab::Scheme scheme = slab::Scheme::euler;
  /// Whether x is relative to a base with the acceleration a_g(t), so that F(t) - m a_g(t) drives
  /// the mass.
  bool base_moves = false;

  [[nodiscard]] bool has_mass() const { return oscillator.mass > 0.0; }
};

/// Returns the model of a slab. Local.
std::shared_ptr<const Model> make_model(Masing masing);

/// Returns the profile of this rank's cells, with arrays for those of k, η, u0 and c that are not
/// given by a formula. For the engine of turning points on one rank, the profile has no arrays if
/// slab::has_smooth_cells() is true, and evaluates the functions at each call. Throws UserError on
/// all ranks alike if values are invalid; the message names the first place with such values. Also
/// throws UserError, before large arrays are allocated, if the run does not fit into memory, and
/// Stopped if a stop is requested. `available` is the number of bytes that a rank may use.
/// Collective.
slab::Profile checked_profile(const parallel::Communicator& comm, const slab::Slab& slab,
                              Method method, double available);

/// Returns the data of a slab that is a shape of several (Method::memory), or for the exact
/// solution. `comm` must have one rank. Throws UserError if the slab is invalid or does not fit
/// into memory, and Stopped if a stop is requested. Local.
slab::BuiltSlab built_slab(const parallel::Communicator& comm, const slab::Slab& slab,
                           Method method);

/// Returns the least bytes that the result of built_slab() needs (MemoryNeed). Local.
double bytes_of_built(const slab::Slab& slab);

}  // namespace masing::engine
