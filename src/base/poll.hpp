#pragma once

#include <functional>
#include <utility>

namespace masing::base {

/// What poll() calls; empty for nothing.
inline std::function<void()> poll_hook;

/// Cancellation point of long loops: may throw Stopped, by the hook. Local.
inline void poll() {
  if (poll_hook) {
    poll_hook();
  }
}

/// While it lives, poll() calls `hook`, which may throw, after what it called before.
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
