#pragma once

#include <stdexcept>

#pragma GCC visibility push(default)

namespace masing {

/// A mistake in what was asked for; the message is the program's one line.
class Mistake : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A failure of a library or of the system.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A run that was stopped, by request_stop or its wall-limit; the message says after which step.
class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace masing

#pragma GCC visibility pop
