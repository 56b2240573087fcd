#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <utility>

// The functions by which long computations reach what runs them: poll() lets them be cancelled, and
// say() passes on their messages.

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

/// A function that receives the messages of say(). If `listener` is empty, say() writes the
/// messages to stderr. The function must not throw.
using Listener = std::function<void(const std::string& text)>;
inline Listener listener;

/// Reports a warning or the progress of a run: passes `text` to the listener. The caller must
/// ensure that only one rank calls it. Local.
inline void say(const std::string& text) {
  if (listener) {
    listener(text);
  } else {
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  }
}

}  // namespace masing::base
