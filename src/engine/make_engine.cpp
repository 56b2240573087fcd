#include "engine/make_engine.hpp"

#include "base/error.hpp"
#include "engine/distributed_measure.hpp"
#include "engine/exact.hpp"
#include "engine/memory.hpp"
#include "engine/sweep.hpp"
#include "masing/continuous_measure.hpp"
#include "options/force_breaks.hpp"

namespace engine {

namespace {

/// What no cell of any rank contradicts.
masing::ProfileForm global_form(const parallel::Communicator& comm, const masing::Problem& problem,
                                const masing::Profile& profile) {
  masing::ProfileForm form = masing::candidate_form(problem);
  double numbers[] = {form.affine_threshold->first, form.affine_threshold->slope,
                      *form.constant_stiffness};
  parallel::broadcast(comm, numbers);
  form.affine_threshold = {numbers[0], numbers[1]};
  form.constant_stiffness = numbers[2];
  const masing::ProfileForm mine = masing::confirmed_form(form, profile);
  if (parallel::min_over_ranks(comm, mine.affine_threshold.has_value() ? 1 : 0) == 0) {
    form.affine_threshold.reset();
  }
  if (parallel::min_over_ranks(comm, mine.constant_stiffness.has_value() ? 1 : 0) == 0) {
    form.constant_stiffness.reset();
  }
  return form;
}

}  // namespace

masing::Profile checked_profile(const parallel::Communicator& comm,
                                const masing::Problem& problem) {
  masing::Profile profile = masing::sample_profile(
      problem, base::slab_of(problem.field_cells(), comm.rank(), comm.size()));
  const std::string fault = parallel::first_text(comm, masing::profile_fault(problem, profile));
  if (!fault.empty()) {
    throw base::UserError(fault);
  }
  masing::adopt_form(profile, global_form(comm, problem, profile));
  return profile;
}

namespace {

/// Throws alike on all ranks where the initial state cannot be remembered by turning points.
void require_memory(const parallel::Communicator& comm, const masing::Problem& problem,
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

template <class Measure>
std::unique_ptr<Engine> make_memory(const parallel::Communicator& comm,
                                    const masing::Problem& problem, const masing::Profile& profile,
                                    std::shared_ptr<const Measure> measure, Steppers steppers) {
  return std::make_unique<Memory<Measure>>(comm, problem, profile, std::move(measure), steppers);
}

std::unique_ptr<Engine> make_memory(const parallel::Communicator& comm,
                                    const masing::Problem& problem,
                                    const masing::Profile& profile) {
  if (problem.continuum()) {
    return make_memory(comm, problem, profile, continuous_measure(problem), Steppers::root);
  }
  if (fits_every_rank(comm, problem.cells)) {
    return make_memory(
        comm, problem, profile,
        std::make_shared<const masing::CellMeasure>(replicated_measure(comm, profile)),
        Steppers::all);
  }
  return make_memory(
      comm, problem, profile,
      std::make_shared<const DistributedMeasure>(distributed_measure(comm, profile, problem.cells)),
      Steppers::all);
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
  require_memory(comm, problem, profile);
  return configuration.engine == options::EngineKind::memory
             ? make_memory(comm, problem, profile)
             : make_exact(comm, configuration, problem, profile);
}

}  // namespace engine
