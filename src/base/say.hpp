#pragma once

#include <cstdio>
#include <functional>
#include <string>

namespace masing::base {

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
