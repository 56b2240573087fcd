#include "parallel/phase.hpp"

#include <petscsys.h>

#include <array>

#include "parallel/communicator.hpp"

namespace masing::parallel {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array stage_names{"setup", "steps", "output", "seal"};  // of Phase, in order
std::array<PetscLogStage, stage_names.size()> stages;
PetscLogEvent message_event;

std::array<double, stage_names.size() + 1> counted;  // of each Phase
std::optional<Phase> current;
Clock::time_point current_since;
double communication = 0.0;

double seconds(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

bool is_logged = false;

bool has_stage(Phase phase) {
  return is_logged && phase != Phase::other;
}

/// Counts the time until `now` as the current phase's.
void count_until(Clock::time_point now) {
  if (current) {
    counted[static_cast<std::size_t>(*current)] += seconds(current_since, now);
    current_since = now;
  }
}

}  // namespace

void register_phases() {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    check_petsc(PetscLogStageRegister(stage_names[i], &stages[i]));
  }
  PetscBool active = PETSC_FALSE;
  check_petsc(PetscLogIsActive(&active));
  is_logged = active == PETSC_TRUE;
  PetscClassId masing = 0;
  check_petsc(PetscClassIdRegister("masing", &masing));
  check_petsc(PetscLogEventRegister("sum over ranks", masing, &message_event));
}

PhaseTimer::PhaseTimer(Phase phase, double* seconds)
    : begin_(Clock::now()), seconds_(seconds), before_(current) {
  if (!current) {
    counted = {};
    communication = 0.0;
  }
  count_until(begin_);
  current = phase;
  current_since = begin_;
  if (has_stage(phase)) {
    check_petsc(PetscLogStagePush(stages[static_cast<std::size_t>(phase)]));
  }
}

PhaseTimer::~PhaseTimer() {
  const auto now = Clock::now();
  count_until(now);
  if (seconds_ != nullptr) {
    *seconds_ += seconds(begin_, now);
  }
  if (has_stage(*current)) {
    PetscLogStagePop();
  }
  current = before_;
}

PhaseSeconds phase_seconds() {
  count_until(Clock::now());
  return {counted[0], counted[1], counted[2], counted[3], communication};
}

namespace {
constexpr int messages_for_one = 17;
int messages = 0;
}  // namespace

MessageTimer::MessageTimer() : is_measured_(++messages == messages_for_one) {
  PetscLogEventBegin(message_event, 0, 0, 0, 0);
  if (is_measured_) {
    messages = 0;
    begin_ = Clock::now();
  }
}

MessageTimer::~MessageTimer() {
  if (is_measured_) {
    communication += messages_for_one * seconds(begin_, Clock::now());
  }
  PetscLogEventEnd(message_event, 0, 0, 0, 0);
}

}  // namespace masing::parallel
