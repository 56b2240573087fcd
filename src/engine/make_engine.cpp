#include "engine/make_engine.hpp"

#include "base/error.hpp"
#include "engine/exact.hpp"
#include "engine/sweep.hpp"

namespace engine {

masing::Profile checked_profile(const parallel::Communicator& comm,
                                const masing::Problem& problem) {
  masing::Profile profile = masing::sample_profile(
      problem, base::slab_of(problem.field_cells(), comm.rank(), comm.size()));
  const std::string fault = parallel::first_text(comm, masing::profile_fault(problem, profile));
  if (!fault.empty()) {
    throw base::UserError(fault);
  }
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
