#pragma once

#include <stdexcept>

#pragma GCC visibility push(default)

namespace masing {

/// A mistake of the caller: an argument or a number that is not allowed.
class Mistake : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace masing

#pragma GCC visibility pop
