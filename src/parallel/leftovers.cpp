#include "parallel/leftovers.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>

namespace masing::parallel {

namespace {

/// Nothing is allocated or freed: a handler may look at any time.
struct Slot {
  std::array<char, PATH_MAX> path{};
  std::atomic<bool> taken = false;
  std::atomic<bool> valid = false;
};
std::array<Slot, 16> slots;

}  // namespace

Leftover::Leftover(const std::string& path) : slot_(-1) {
  for (int i = 0; slot_ < 0 && i < static_cast<int>(slots.size()); ++i) {
    Slot& slot = slots[static_cast<std::size_t>(i)];
    if (path.size() < slot.path.size() && !slot.taken.exchange(true)) {
      path.copy(slot.path.data(), path.size());
      slot.path[path.size()] = '\0';
      slot.valid = true;
      slot_ = i;
    }
  }
}

Leftover::~Leftover() {
  if (slot_ >= 0) {
    Slot& slot = slots[static_cast<std::size_t>(slot_)];
    slot.valid = false;
    slot.taken = false;
  }
}

void remove_leftovers() noexcept {
  for (const Slot& slot : slots) {
    if (slot.valid) {
      unlink(slot.path.data());
    }
  }
}

}  // namespace masing::parallel
