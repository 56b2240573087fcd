#include "engine/make_engine.hpp"

#include "base/error.hpp"
#include "engine/exact.hpp"
#include "engine/sweep.hpp"

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

std::unique_ptr<Engine> make_engine(const parallel::Communicator& comm,
                                    const options::Configuration& configuration,
                                    const masing::Problem& problem,
                                    const masing::Profile& profile) {
  switch (*configuration.engine) {
    case options::EngineKind::sweep:
      return std::make_unique<Sweep>(comm, problem, profile);
    case options::EngineKind::exact:
      return make_exact(comm, problem, profile, configuration.breaks);
    default:
      throw base::UserError("--engine: only sweep and exact are there; give one of them");
  }
}

}  // namespace engine
