#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "parallel/communicator.hpp"
#include "parallel/session.hpp"

namespace masing::parallel {

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

/// Sums of a few integers over the ranks, once a step. Few ranks of one host write theirs to lines
/// of memory they share and read the others': a third of the time of MPI_Allreduce, which all other
/// sums go to. Exact, whatever the order.
class RankSum {
 public:
  /// `comm` must outlive it. Ranks that are `crowded`, more than the cores, leave it to MPI: who
  /// waits for a line does not know who should run instead. Collective.
  explicit RankSum(const Communicator& comm, bool crowded = ranks_outnumber_cores());

  /// Replace each of `values` by its sum over the ranks. Collective.
  void operator()(std::span<std::int64_t> values);

 private:
  static constexpr std::size_t most_values = 6;
  static constexpr int most_ranks = 8;  // each reads a line of every other

  /// What one rank brings to one sum. Processors fetch lines of a cache in pairs.
  struct alignas(128) Line {
    std::int64_t round = 0;  ///< whose values these are; written last
    std::array<std::int64_t, most_values> values{};
  };

  const Communicator& comm_;
  std::optional<SharedMemory> memory_;
  Line* lines_ = nullptr;   // [2][ranks]: a rank may be one sum ahead of those that still read
  std::int64_t round_ = 0;  // sums so far
};

}  // namespace masing::parallel
