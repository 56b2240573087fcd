#pragma once

namespace base {

/// The place of a call in the source, for messages of failures; as std::source_location, which not
/// every compiler and checker in use has yet. `Location where = Location::current()` as the last
/// parameter of a function is the place of its caller.
struct Location {
  const char* file = "";
  int line = 0;

  static constexpr Location current(const char* file = __builtin_FILE(),
                                    int line = __builtin_LINE()) {
    return {file, line};
  }
};

}  // namespace base
