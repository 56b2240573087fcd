#include "parallel/phase.hpp"

#include <petscsys.h>

#include "base/seconds.hpp"
#include "parallel/communicator.hpp"

namespace masing::parallel {

namespace {

std::array<PetscLogStage, phase_names.size()> stages;
PetscLogEvent message_event;
PhaseSeconds counted;
std::optional<Phase> current;
double since = 0.0;

/// Adds the time from the last change until `now` to the current phase, and makes `next` the
/// current phase.
void change(std::optional<Phase> next, double now) {
  if (current) {
    counted[static_cast<std::size_t>(*current)] += now - since;
  }
  current = next;
  since = now;
}

}  // namespace

void register_phases() {
  // The phases are registered already if PETSc has been running since an earlier session.
  check_petsc(PetscLogEventGetId("sum over ranks", &message_event));
  if (message_event >= 0) {
    return;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(Phase::communication); ++i) {
    check_petsc(PetscLogStageRegister(phase_names[i], &stages[i]));
  }
  PetscClassId masing = 0;
  check_petsc(PetscClassIdRegister("masing", &masing));
  check_petsc(PetscLogEventRegister("sum over ranks", masing, &message_event));
}

PhaseTimer::PhaseTimer(Phase phase, double* life)
    : begin_(base::seconds_now()), life_(life), before_(current) {
  if (!before_) {
    counted = {};
  }
  change(phase, begin_);
  PetscLogStagePush(stages[static_cast<std::size_t>(phase)]);
}

PhaseTimer::~PhaseTimer() {
  PetscLogStagePop();
  change(before_, base::seconds_now());
  if (life_ != nullptr) {
    *life_ += since - begin_;
  }
}

PhaseSeconds phase_seconds() {
  change(current, base::seconds_now());
  return counted;
}

MessageTimer::MessageTimer() : begin_(base::seconds_now(CLOCK_MONOTONIC_COARSE)) {
  PetscLogEventBegin(message_event, 0, 0, 0, 0);
}

MessageTimer::~MessageTimer() {
  counted[static_cast<std::size_t>(Phase::communication)] +=
      base::seconds_now(CLOCK_MONOTONIC_COARSE) - begin_;
  PetscLogEventEnd(message_event, 0, 0, 0, 0);
}

}  // namespace masing::parallel
