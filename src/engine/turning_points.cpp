#include "engine/turning_points.hpp"

#include <array>

namespace masing::engine {

void write_field(const slab::RememberedElongation& u, const slab::Profile& profile,
                 parallel::Vector& field) {
  const parallel::WriteAccess access(field);
  const auto values = access.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto cell = static_cast<std::int64_t>(i);
    values[i] = u(profile.threshold_of(cell), profile.initial_u_of(cell));
  }
}

slab::TurningPointState shared(const parallel::Communicator& comm, slab::TurningPointState memory) {
  std::array<double, 2> places{memory.x0, memory.x};
  std::array<std::int64_t, 2> numbers{memory.direction,
                                      static_cast<std::int64_t>(memory.positions.size())};
  parallel::broadcast(comm, std::span(places));
  parallel::broadcast(comm, std::span(numbers));
  memory.x0 = places[0];
  memory.x = places[1];
  memory.direction = static_cast<int>(numbers[0]);
  memory.positions.resize(static_cast<std::size_t>(numbers[1]));
  parallel::broadcast(comm, std::span(memory.positions));
  return memory;
}

}  // namespace masing::engine
