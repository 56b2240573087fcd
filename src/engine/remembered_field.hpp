#pragma once

#include "masing/profile.hpp"
#include "masing/turning_points.hpp"
#include "parallel/vector.hpp"

namespace engine {

/// u written into a vector from a hysteresis memory, each rank its own cells. Local.
template <class Memory>
void write_field(const Memory& memory, const masing::Profile& profile, parallel::Vector& u) {
  const parallel::WriteAccess access(u);
  const auto values = access.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto cell = static_cast<std::int64_t>(i);
    values[i] = memory.elongation(profile.threshold_of(cell), profile.initial_u_of(cell));
  }
}

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
