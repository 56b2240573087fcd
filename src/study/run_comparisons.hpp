#pragma once

#include "parallel/communicator.hpp"
#include "study/plan.hpp"

namespace masing::study {

/// Make all comparisons of a plan, as make_schedule says; what is found does not depend on the
/// ranks or on where it was stopped, bit for bit. Goes on with the study's checkpoint where it is
/// to be restarted, and writes one where that is due and where it is stopped. The series is on
/// every rank. Throws UserError alike on all ranks, Stopped. Collective.
Outcomes run_comparisons(const parallel::Communicator& comm, const StudyPlan& plan);

/// engine::check_run of every run of a study, the levels first; the plan on stderr. Throws
/// UserError alike on all ranks. Collective.
void check_runs(const parallel::Communicator& comm, const StudySpec& spec);

}  // namespace masing::study
