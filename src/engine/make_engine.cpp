#include "engine/make_engine.hpp"

#include <optional>
#include <string>

#include "base/error.hpp"
#include "engine/distributed_measure.hpp"
#include "engine/exact.hpp"
#include "engine/memory.hpp"
#include "engine/quasistatic.hpp"
#include "engine/sweep.hpp"
#include "masing/continuous_measure.hpp"
#include "options/force_breaks.hpp"
#include "parallel/available_memory.hpp"

namespace engine {

namespace {

/// Of the root, on every rank.
masing::ProfileForm shared_candidate(const parallel::Communicator& comm,
                                     const masing::Problem& problem) {
  masing::ProfileForm form = masing::candidate_form(problem);
  double numbers[] = {form.affine_threshold->first, form.affine_threshold->slope,
                      *form.constant_stiffness, *form.constant_initial_u};
  parallel::broadcast(comm, numbers);
  form.affine_threshold = {numbers[0], numbers[1]};
  form.constant_stiffness = numbers[2];
  form.constant_initial_u = numbers[3];
  return form;
}

/// Keep what no rank's cells contradict.
template <typename Value>
void agree(const parallel::Communicator& comm, std::optional<Value>& confirmed) {
  if (parallel::min_over_ranks(comm, confirmed ? 1 : 0) == 0) {
    confirmed.reset();
  }
}

/// Throws UserError alike on all ranks where a run does not fit.
void require_memory(const MemoryNeed& need, double available) {
  const std::string shortage = memory_shortage(need, available);
  if (!shortage.empty()) {
    throw base::UserError(shortage);
  }
}

}  // namespace

masing::ProfileForm checked_form(const parallel::Communicator& comm,
                                 const masing::Problem& problem) {
  masing::ProfileCheck check =
      masing::check_profile(problem, base::slab_of(problem.field_cells(), comm.rank(), comm.size()),
                            shared_candidate(comm, problem));
  const std::string fault = parallel::first_text(comm, check.fault);
  if (!fault.empty()) {
    throw base::UserError(fault);
  }
  agree(comm, check.form.affine_threshold);
  agree(comm, check.form.constant_stiffness);
  agree(comm, check.form.constant_initial_u);
  return check.form;
}

masing::Profile checked_profile(const parallel::Communicator& comm, const masing::Problem& problem,
                                const Holding& holding) {
  const double available =
      holding.available ? *holding.available : parallel::available_memory(comm);
  MemoryNeed need = need_of(problem, comm.size(), holding);
  require_memory(need, available);  // the least need, before a look at every cell
  const masing::ProfileForm form = checked_form(comm, problem);
  need.arrays = form.arrays();
  need.moved = form.constant_initial_u != 0.0;
  require_memory(need, available);
  return masing::lean_profile(problem,
                              base::slab_of(problem.field_cells(), comm.rank(), comm.size()), form);
}

namespace {

/// Throws alike on all ranks where the initial state cannot be remembered by turning points.
void require_memorable(const parallel::Communicator& comm, const masing::Problem& problem,
                       const masing::Profile& profile) {
  const std::string fault =
      problem.continuum()
          ? parallel::from_root(comm, [&] { return masing::continuous_fault(problem); })
          : memory_fault(comm, profile);
  if (!fault.empty()) {
    throw base::UserError(fault);
  }
}

std::shared_ptr<const masing::ContinuousMeasure> continuous_measure(
    const masing::Problem& problem) {
  return std::make_shared<const masing::ContinuousMeasure>(
      masing::make_continuous_measure(problem));
}

/// Calls `make` with the measure of a problem and the ranks that step with it.
template <class Make>
std::unique_ptr<Engine> with_measure(const parallel::Communicator& comm,
                                     const masing::Problem& problem, const masing::Profile& profile,
                                     const Make& make) {
  if (problem.continuum()) {
    return make(continuous_measure(problem), Steppers::root);
  }
  if (fits_every_rank(comm.size(), problem.cells)) {
    return make(std::make_shared<const masing::CellMeasure>(replicated_measure(comm, profile)),
                Steppers::all);
  }
  return make(
      std::make_shared<const DistributedMeasure>(distributed_measure(comm, profile, problem.cells)),
      Steppers::all);
}

std::unique_ptr<Engine> make_memory(const parallel::Communicator& comm,
                                    const masing::Problem& problem,
                                    const masing::Profile& profile) {
  return with_measure(comm, problem, profile,
                      [&]<class Measure>(std::shared_ptr<const Measure> measure,
                                         Steppers steppers) -> std::unique_ptr<Engine> {
                        return std::make_unique<Memory<Measure>>(comm, problem, profile,
                                                                 std::move(measure), steppers);
                      });
}

std::unique_ptr<Engine> make_quasistatic(const parallel::Communicator& comm,
                                         const options::Configuration& configuration,
                                         const masing::Problem& problem,
                                         const masing::Profile& profile) {
  const Driving driving = configuration.position.empty() ? Driving::force : Driving::position;
  double start = options::driving_function(configuration)(0.0);
  parallel::broadcast(comm, std::span(&start, 1));
  return with_measure(comm, problem, profile,
                      [&]<class Measure>(std::shared_ptr<const Measure> measure,
                                         Steppers steppers) -> std::unique_ptr<Engine> {
                        return std::make_unique<Quasistatic<Measure>>(
                            comm, problem, profile, std::move(measure), steppers, driving, start);
                      });
}

std::unique_ptr<Engine> make_exact(const parallel::Communicator& comm,
                                   const options::Configuration& configuration,
                                   const masing::Problem& problem, const masing::Profile& profile) {
  std::vector<double> breaks =
      options::force_breaks(problem.force.text(), problem.time.final_time, configuration.breaks);
  if (problem.continuum()) {
    return std::make_unique<Exact<masing::ContinuousMeasure>>(
        comm, problem, profile, continuous_measure(problem), std::move(breaks));
  }
  return std::make_unique<Exact<masing::CellMeasure>>(
      comm, problem, profile,
      std::make_shared<const masing::CellMeasure>(replicated_measure(comm, profile)),
      std::move(breaks));
}

}  // namespace

std::unique_ptr<Engine> make_engine(const parallel::Communicator& comm,
                                    const options::Configuration& configuration,
                                    const masing::Problem& problem,
                                    const masing::Profile& profile) {
  if (configuration.engine == options::EngineKind::sweep) {
    return std::make_unique<Sweep>(comm, problem, profile);
  }
  require_memorable(comm, problem, profile);
  if (options::family_of(configuration.model) == options::Family::quasistatic_slab) {
    return make_quasistatic(comm, configuration, problem, profile);
  }
  return configuration.engine == options::EngineKind::memory
             ? make_memory(comm, problem, profile)
             : make_exact(comm, configuration, problem, profile);
}

}  // namespace engine
