#pragma once

#include <string>

namespace masing::parallel {

/// A file that is of no use once the process has ended, such as a lock or a draft: while the object
/// lives, a signal that ends the process at once removes the file before.
class Leftover {
 public:
  /// Local.
  explicit Leftover(const std::string& path);
  ~Leftover();
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;

 private:
  int slot_;  // -1: none was free
};

/// Remove all such files; for signal handlers. Local.
void remove_leftovers() noexcept;

}  // namespace masing::parallel
