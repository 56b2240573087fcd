#include "parallel/phase.hpp"

#include "base/seconds.hpp"

namespace masing::parallel {

namespace {

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

PhaseTimer::PhaseTimer(Phase phase, double* life)
    : begin_(base::seconds_now()), life_(life), before_(current) {
  if (!before_) {
    counted = {};
  }
  change(phase, begin_);
}

PhaseTimer::~PhaseTimer() {
  change(before_, base::seconds_now());
  if (life_ != nullptr) {
    *life_ += since - begin_;
  }
}

PhaseSeconds phase_seconds() {
  change(current, base::seconds_now());
  return counted;
}

MessageTimer::MessageTimer() : begin_(base::seconds_now(CLOCK_MONOTONIC_COARSE)) {}

MessageTimer::~MessageTimer() {
  counted[static_cast<std::size_t>(Phase::communication)] +=
      base::seconds_now(CLOCK_MONOTONIC_COARSE) - begin_;
}

}  // namespace masing::parallel
