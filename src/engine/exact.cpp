#include "engine/exact.hpp"

#include <array>
#include <utility>

#include "masing/cell_measure.hpp"

namespace engine {

template <masing::StiffnessMeasure Measure>
Exact<Measure>::Exact(const parallel::Communicator& comm, const masing::Problem& problem,
                      const Measure& measure, const masing::Profile& profile, std::int64_t points,
                      std::vector<double> breaks, const masing::ExactOptions& options)
    : comm_(comm), problem_(problem), measure_(measure), profile_(profile), u_(comm, points) {
  const masing::Oscillator& oscillator = problem.oscillator;
  sample_ = {oscillator.x0, oscillator.y0, oscillator.k0 * oscillator.x0 + measure.initial_force()};
  if (comm.is_root()) {
    solution_ = std::make_unique<masing::ExactSolution<Measure>>(
        measure, oscillator,
        masing::SmoothPieces([&force = problem.force](double t) { return force(t); },
                             std::move(breaks), problem.time.final_time),
        options);
  }
}

template <masing::StiffnessMeasure Measure>
void Exact<Measure>::advance(const Chunk& chunk) {
  parallel::from_root(comm_, [&] {
    for (std::size_t i = 0; i < chunk.x.size(); ++i) {
      const masing::MassState state =
          solution_->at(problem_.time.time(chunk.first + 1 + static_cast<std::int64_t>(i)));
      chunk.x[i] = state.x;
      chunk.y[i] = state.y;
      chunk.restoring[i] = masing::restoring_force(problem_.oscillator, state);
    }
    return std::string();
  });
  parallel::broadcast(comm_, chunk.x);
  parallel::broadcast(comm_, chunk.y);
  parallel::broadcast(comm_, chunk.restoring);
  sample_ = {chunk.x.back(), chunk.y.back(), chunk.restoring.back()};
}

template <masing::StiffnessMeasure Measure>
masing::TurningPointState Exact<Measure>::shared_memory() const {
  masing::TurningPointState memory;
  if (comm_.is_root()) {
    memory = solution_->memory().state();
  }
  std::array<double, 2> positions{memory.x0, memory.x};
  std::array<std::int64_t, 2> numbers{memory.direction,
                                      static_cast<std::int64_t>(memory.positions.size())};
  parallel::broadcast(comm_, std::span(positions));
  parallel::broadcast(comm_, std::span(numbers));
  memory.x0 = positions[0];
  memory.x = positions[1];
  memory.direction = static_cast<int>(numbers[0]);
  memory.positions.resize(static_cast<std::size_t>(numbers[1]));
  parallel::broadcast(comm_, std::span(memory.positions));
  return memory;
}

template <masing::StiffnessMeasure Measure>
const parallel::Vector& Exact<Measure>::field() {
  const masing::TurningPoints<Measure> memory(measure_, shared_memory());
  const parallel::WriteAccess access(u_);
  const std::span<double> u = access.values();
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = memory.elongation(profile_.threshold[i], profile_.initial_u[i]);
  }
  return u_;
}

template class Exact<masing::CellMeasure>;

}  // namespace engine
