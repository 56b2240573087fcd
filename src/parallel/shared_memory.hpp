#pragma once

#include <cstddef>

#include "parallel/communicator.hpp"

namespace parallel {

/// Memory that all ranks of a communicator see, where they are on one host; move-only. It has no
/// name when it is there, so nothing is left of it when the ranks end, however they do.
class SharedMemory {
 public:
  /// `bytes` zeros, or none where the ranks are on several hosts or the system has no memory to
  /// share. Collective.
  SharedMemory(const Communicator& comm, std::size_t bytes);
  ~SharedMemory();
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// Begins at a page; null, alike on all ranks, where there is none.
  [[nodiscard]] void* data() const { return data_; }

 private:
  std::size_t bytes_;
  void* data_ = nullptr;
};

}  // namespace parallel
