#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace masing::base {

/// The number of bytes of a cache line. The arrays of vectorized loops begin at an address that is
/// a multiple of this number; otherwise many loads and stores of vector registers would touch two
/// cache lines.
inline constexpr std::size_t line_bytes = 64;

/// The number of bytes of a huge page. The system is asked to place arrays of at least twice this
/// size in huge pages. The first access to 2 MiB then costs one page fault, whereas pages of 4 KiB
/// would cost 512; and reading the array causes fewer TLB misses.
inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// An allocator whose memory begins at a cache line or, if it is at least as large as two huge
/// pages, at a huge page.
template <typename Value>
struct AlignedAllocator {
  using value_type = Value;

  AlignedAllocator() = default;
  template <typename Other>
  explicit AlignedAllocator(const AlignedAllocator<Other>& /*other*/) noexcept {}

  /// Returns memory for `count` values. Throws std::bad_alloc if there is not enough memory.
  [[nodiscard]] Value* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(Value);
    const bool is_large = bytes >= 2 * huge_page_bytes;
    const std::size_t alignment = is_large ? huge_page_bytes : line_bytes;
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) {
      throw std::bad_alloc();
    }
    if (is_large) {
      madvise(memory, bytes, MADV_HUGEPAGE);  // a hint to the system; if it fails, pages are small
    }
    return static_cast<Value*>(memory);
  }
  void deallocate(Value* memory, std::size_t /*count*/) noexcept { std::free(memory); }

  bool operator==(const AlignedAllocator& /*other*/) const { return true; }
};

/// A vector of doubles whose memory comes from AlignedAllocator.
using AlignedVector = std::vector<double, AlignedAllocator<double>>;

}  // namespace masing::base
