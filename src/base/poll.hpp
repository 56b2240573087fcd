#pragma once

#include <functional>
#include <utility>

namespace masing::base {

/// The function that poll() calls; if it is empty, poll() does nothing.
inline std::function<void()> poll_hook;

/// Calls poll_hook. Long loops call this function regularly, so that they can be cancelled:
/// poll_hook may throw Stopped. Local.
inline void poll() {
  if (poll_hook) {
    poll_hook();
  }
}

/// While an object of this class exists, poll() calls the function that was poll_hook before, and
/// then `hook`. Both may throw.
class Polling {
 public:
  explicit Polling(const std::function<void()>& hook) : before_(std::move(poll_hook)) {
    poll_hook = [this, hook] {
      if (before_) {
        before_();
      }
      hook();
    };
  }
  ~Polling() { poll_hook = std::move(before_); }
  Polling(const Polling&) = delete;
  Polling& operator=(const Polling&) = delete;

 private:
  std::function<void()> before_;
};

}  // namespace masing::base
