#pragma once

#include "masing/profile.hpp"
#include "masing/turning_points.hpp"
#include "parallel/vector.hpp"

namespace engine {

/// u written into a vector from a hysteresis memory, each rank its own cells. Local.
void write_field(const masing::RememberedElongation& u, const masing::Profile& profile,
                 parallel::Vector& field);

/// The root's turning points, on every rank. Collective.
masing::TurningPointState shared(const parallel::Communicator& comm,
                                 masing::TurningPointState memory);

/// The root's x, y and restoring force of a chunk, on every rank; `work` fills them on the root,
/// and a UserError it throws there is thrown on every rank. Collective.
template <class Chunk, class Work>
void fill_on_root(const parallel::Communicator& comm, const Chunk& chunk, const Work& work) {
  parallel::from_root(comm, [&] {
    work();
    return std::string();
  });
  parallel::broadcast(comm, chunk.x);
  parallel::broadcast(comm, chunk.y);
  parallel::broadcast(comm, chunk.restoring);
}

}  // namespace engine
