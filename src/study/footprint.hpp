#pragma once

#include <vector>

#include "engine/memory_need.hpp"
#include "study/run.hpp"
#include "study/schedule.hpp"

namespace study {

/// What each run of a schedule needs, [placements]: the run itself and the fields of all runs that
/// its fullest rank keeps until the end of the study, before the profiles are known. Local.
std::vector<engine::MemoryNeed> least_needs(const std::vector<Job>& jobs,
                                            const std::vector<Placement>& placements, int ranks);

/// The schedule of the jobs that the machine's speed suggests, or each on all ranks where it would
/// not fit into `available` bytes a rank. Throws UserError where neither fits. Local.
std::vector<Placement> fitting_schedule(const std::vector<Job>& jobs, int ranks, double available);

}  // namespace study
