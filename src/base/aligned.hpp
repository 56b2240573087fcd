#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

namespace masing::base {

/// Bytes of a cache line and of the widest vector register. The kernel's arrays begin at a
/// multiple: else half of its loads and stores would touch two lines.
inline constexpr std::size_t line_bytes = 64;

/// Bytes of a huge page, used for arrays of two or more: the first touch costs one page fault
/// instead of 512, and a walk through the array fewer TLB misses.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// Memory that begins at a cache line, or at a huge page where it is large.
template <typename Value>
struct AlignedAllocator {
  using value_type = Value;

  AlignedAllocator() = default;
  template <typename Other>
  explicit AlignedAllocator(const AlignedAllocator<Other>& /*other*/) noexcept {}

  /// Throws std::bad_alloc.
  [[nodiscard]] Value* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(Value)) {
      throw std::bad_alloc();
    }
    const std::size_t bytes = count * sizeof(Value);
    const bool is_large = bytes >= 2 * huge_page_bytes;
    const std::size_t alignment = is_large ? huge_page_bytes : line_bytes;
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) {
      throw std::bad_alloc();
    }
    if (is_large) {
      madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: small pages work as well
    }
    return static_cast<Value*>(memory);
  }
  void deallocate(Value* memory, std::size_t /*count*/) noexcept { std::free(memory); }

  bool operator==(const AlignedAllocator& /*other*/) const { return true; }
};

/// A vector of doubles that begins at a cache line, or at a huge page where it is large.
using AlignedVector = std::vector<double, AlignedAllocator<double>>;

}  // namespace masing::base
