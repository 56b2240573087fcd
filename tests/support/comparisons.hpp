#pragma once

#include <cstdint>
#include <functional>

#include "study/lockstep.hpp"

namespace masing::support {

/// Where the next window has to end, at the latest.
using Ends = std::function<std::int64_t(const study::Lockstep&)>;

inline std::int64_t at_the_end(const study::Lockstep& lockstep) {
  return lockstep.steps();
}

/// Outcomes of a plan of which nothing is made. Local.
inline study::Outcomes nothing_of(const study::StudyPlan& plan) {
  return {.errors = std::vector<study::Errors>(plan.comparisons.size()),
          .runs = std::vector<study::RunSummary>(plan.runs.size()),
          .series = {}};
}

/// What comparisons find that go on to their end. Collective.
inline study::Outcomes outcomes(const study::StudyPlan& plan, study::Lockstep& lockstep,
                                const Ends& ends = at_the_end) {
  study::Outcomes found = nothing_of(plan);
  while (!lockstep.is_done()) {
    lockstep.advance(ends(lockstep));
  }
  lockstep.add_to(found);
  return found;
}

/// The same from the start. Collective.
inline study::Outcomes outcomes(const parallel::Communicator& comm, const study::StudyPlan& plan,
                                const study::Batch& batch, const Ends& ends = at_the_end) {
  study::Lockstep lockstep(comm, plan, batch);
  return outcomes(plan, lockstep, ends);
}

}  // namespace masing::support
