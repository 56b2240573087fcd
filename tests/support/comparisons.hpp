#pragma once

#include <functional>

#include "study/lockstep.hpp"

namespace masing::support {

/// Where the next window has to end, at the latest.
using Ends = std::function<std::int64_t(const study::Lockstep&)>;

inline std::int64_t at_the_end(const study::Lockstep& lockstep) {
  return lockstep.steps().all;
}

using Outcomes = std::map<campaign::Unit, study::Outcome>;

/// What comparisons find that go on to their end. Collective.
inline Outcomes outcomes(study::Lockstep& lockstep, const Ends& ends = at_the_end) {
  campaign::Records records;
  while (!lockstep.is_done()) {
    lockstep.advance(ends(lockstep), engine::Pause::none, records);
  }
  Outcomes found;
  records.take_all([&](campaign::Unit index, std::span<const double> record) {
    found[index] = campaign::unpacked<study::Outcome>({record.begin(), record.end()});
  });
  return found;
}

/// The same from the start. Collective.
inline Outcomes outcomes(const parallel::Communicator& comm, const study::StudyPlan& plan,
                         const study::Batch& batch, const Ends& ends = at_the_end) {
  study::Lockstep lockstep(comm, plan, batch);
  return outcomes(lockstep, ends);
}

}  // namespace masing::support
