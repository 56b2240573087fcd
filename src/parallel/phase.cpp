#include "parallel/phase.hpp"

#include <petscsys.h>

#include "parallel/communicator.hpp"

namespace masing::parallel {

namespace {

using Clock = std::chrono::steady_clock;

std::array<PetscLogStage, phase_names.size()> stages;
PetscLogEvent message_event;
PhaseSeconds counted;
std::optional<Phase> current;
Clock::time_point since;

double seconds(Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

/// Counts the time until `now` for the current phase, and goes on with another.
void change(std::optional<Phase> next, Clock::time_point now) {
  if (current) {
    counted[static_cast<std::size_t>(*current)] += seconds(now - since);
  }
  current = next;
  since = now;
}

constexpr int messages_for_one = 17;
unsigned messages = 0;

}  // namespace

void register_phases() {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    check_petsc(PetscLogStageRegister(phase_names[i], &stages[i]));
  }
  PetscClassId masing = 0;
  check_petsc(PetscClassIdRegister("masing", &masing));
  check_petsc(PetscLogEventRegister("sum over ranks", masing, &message_event));
}

PhaseTimer::PhaseTimer(Phase phase, double* life)
    : begin_(Clock::now()), life_(life), before_(current) {
  if (!before_) {
    counted = {};
  }
  change(phase, begin_);
  PetscLogStagePush(stages[static_cast<std::size_t>(phase)]);
}

PhaseTimer::~PhaseTimer() {
  PetscLogStagePop();
  change(before_, Clock::now());
  if (life_ != nullptr) {
    *life_ += seconds(since - begin_);
  }
}

PhaseSeconds phase_seconds() {
  change(current, Clock::now());
  return counted;
}

MessageTimer::MessageTimer() : is_measured_(++messages % messages_for_one == 0) {
  PetscLogEventBegin(message_event, 0, 0, 0, 0);
  begin_ = is_measured_ ? Clock::now() : Clock::time_point();
}

MessageTimer::~MessageTimer() {
  if (is_measured_) {
    counted[static_cast<std::size_t>(Phase::communication)] +=
        messages_for_one * seconds(Clock::now() - begin_);
  }
  PetscLogEventEnd(message_event, 0, 0, 0, 0);
}

}  // namespace masing::parallel
