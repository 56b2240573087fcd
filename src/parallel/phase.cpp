#include "parallel/phase.hpp"

#include <petscsys.h>

#include <ctime>

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

/// Adds the time from the last change until `now` to the current phase, and makes `next` the
/// current phase.
void change(std::optional<Phase> next, Clock::time_point now) {
  if (current) {
    counted[static_cast<std::size_t>(*current)] += seconds(now - since);
  }
  current = next;
  since = now;
}

/// Returns the time in seconds from a clock that can be read in a few nanoseconds but has a
/// resolution of milliseconds.
double coarse_time() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
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

MessageTimer::MessageTimer() : begin_(coarse_time()) {
  PetscLogEventBegin(message_event, 0, 0, 0, 0);
}

MessageTimer::~MessageTimer() {
  counted[static_cast<std::size_t>(Phase::communication)] += coarse_time() - begin_;
  PetscLogEventEnd(message_event, 0, 0, 0, 0);
}

}  // namespace masing::parallel
