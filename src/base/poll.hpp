#pragma once

#include <functional>
#include <utility>

namespace masing::base {

/// The function that poll() calls; if it is empty, poll() does nothing.
inline std::function<void()> poll_hook;

/// A cancellation point for long loops: calls poll_hook, which may throw Stopped to end the loop.
/// Local.
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
