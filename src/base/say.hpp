#pragma once

#include <cstdio>
#include <functional>
#include <string>

namespace masing::base {

/// Gets what is said in place of stderr, where there is one. Must not throw.
using Listener = std::function<void(const std::string& text)>;
inline Listener listener;

/// Says how far a run is, or warns of something; the caller sees to it that one rank does. Local.
inline void say(const std::string& text) {
  if (listener) {
    listener(text);
  } else {
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  }
}

}  // namespace masing::base
