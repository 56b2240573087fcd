#include "engine/exact.hpp"

#include <array>
#include <utility>

#include "base/error.hpp"
#include "engine/memory.hpp"
#include "masing/cell_measure.hpp"
#include "masing/continuous_measure.hpp"
#include "options/force_breaks.hpp"

namespace engine {

template <masing::StiffnessMeasure Measure>
Exact<Measure>::Exact(const parallel::Communicator& comm, const masing::Problem& problem,
                      const masing::Profile& profile, std::shared_ptr<const Measure> measure,
                      std::vector<double> breaks, const masing::ExactOptions& options)
    : comm_(comm),
      problem_(problem),
      profile_(profile),
      measure_(std::move(measure)),
      u_(comm, problem.field_cells()) {
  const masing::Oscillator& oscillator = problem.oscillator;
  sample_ = {oscillator.x0, oscillator.y0,
             oscillator.k0 * oscillator.x0 + measure_->initial_force()};
  if (comm.is_root()) {
    solution_ = std::make_unique<masing::ExactSolution<Measure>>(
        *measure_, oscillator,
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
masing::TurningPoints<Measure> Exact<Measure>::shared_memory() const {
  masing::TurningPointState state;
  if (comm_.is_root()) {
    state = solution_->memory().state();
  }
  std::array<double, 2> positions{state.x0, state.x};
  std::array<std::int64_t, 2> numbers{state.direction,
                                      static_cast<std::int64_t>(state.positions.size())};
  parallel::broadcast(comm_, std::span(positions));
  parallel::broadcast(comm_, std::span(numbers));
  state.x0 = positions[0];
  state.x = positions[1];
  state.direction = static_cast<int>(numbers[0]);
  state.positions.resize(static_cast<std::size_t>(numbers[1]));
  parallel::broadcast(comm_, std::span(state.positions));
  return {*measure_, state};
}

template <masing::StiffnessMeasure Measure>
const parallel::Vector& Exact<Measure>::field() {
  write_field(shared_memory(), profile_, u_);
  return u_;
}

template <masing::StiffnessMeasure Measure>
Elongation Exact<Measure>::elongation() {
  return [measure = measure_, memory = shared_memory()](double threshold, double initial_u) {
    return memory.elongation(threshold, initial_u);
  };
}

template class Exact<masing::CellMeasure>;
template class Exact<masing::ContinuousMeasure>;

namespace {

void require(const std::string& fault) {
  if (!fault.empty()) {
    throw base::UserError(fault);
  }
}

}  // namespace

std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm,
                                   const masing::Problem& problem, const masing::Profile& profile,
                                   const std::vector<double>& breaks) {
  std::vector<double> all_breaks =
      options::force_breaks(problem.force.text(), problem.time.final_time, breaks);
  if (problem.continuum()) {
    require(masing::continuous_fault(problem));
    return std::make_unique<Exact<masing::ContinuousMeasure>>(
        comm, problem, profile,
        std::make_shared<const masing::ContinuousMeasure>(masing::make_continuous_measure(problem)),
        std::move(all_breaks));
  }
  const masing::Profile all = masing::sample_profile(problem, {0, problem.cells});
  require(masing::memory_fault(all.threshold, all.initial_u));
  return std::make_unique<Exact<masing::CellMeasure>>(
      comm, problem, profile,
      std::make_shared<const masing::CellMeasure>(masing::make_cell_measure(all)),
      std::move(all_breaks));
}

}  // namespace engine
