#pragma once

#include <stdexcept>

#pragma GCC visibility push(default)

namespace masing {

/// A mistake of the caller: an option, argument or number that is not allowed. For a run, the
/// message is the line that the program would print.
class Mistake : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A failure of another library or of the operating system.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The error that is thrown when a run, study or scan is stopped by request_stop() or by the option
/// wall-limit. The message says how far the computation had come and whether it can be resumed.
class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace masing

#pragma GCC visibility pop
