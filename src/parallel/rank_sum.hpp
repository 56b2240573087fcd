#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "parallel/communicator.hpp"
#include "parallel/session.hpp"

namespace masing::parallel {

/// Memory shared by all ranks of a communicator on one host. Its name is unlinked before
/// the constructor returns, so nothing is left of it when the ranks end, however they do.
class SharedMemory {
 public:
  /// `bytes` zeros; none where the ranks are on several hosts or the system has no shared memory
  /// left. Collective.
  SharedMemory(const Communicator& comm, std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// Aligned to a page; null, alike on all ranks, where there is none.
  [[nodiscard]] void* data() const { return data_; }

 private:
  std::size_t bytes_;
  void* data_ = nullptr;
};

/// How a RankSum exchanges its terms.
enum class Exchange { shared_memory, mpi };

/// mpi where the ranks of this host outnumber its cores: a rank that polls shared memory keeps the
/// core that the rank it waits for may need. Local.
Exchange default_exchange();

/// Sums of a few integers over the ranks, once a step. Up to 8 ranks of one host write their terms
/// to lines of shared memory and read the others', in a third of the time of MPI_Allreduce, which
/// is used for all other sums. Exact, whatever the order.
class RankSum {
 public:
  /// `comm` must outlive it. Shared memory is used only where there is some. Collective.
  explicit RankSum(const Communicator& comm, Exchange exchange = default_exchange());

  /// Replace each of `values` by its sum over the ranks. Collective.
  void operator()(std::span<std::int64_t> values);

 private:
  static constexpr std::size_t most_values = 6;
  static constexpr int most_ranks = 8;  // each reads a line of every other

  /// The terms of one rank in one sum. Processors fetch cache lines in pairs.
  struct alignas(128) Line {
    std::int64_t round = 0;  ///< the sum these values belong to; written last
    std::array<std::int64_t, most_values> values{};
  };

  const Communicator& comm_;
  std::optional<SharedMemory> memory_;
  Line* lines_ = nullptr;   // [2][ranks]: a rank may be one sum ahead of one that still reads
  std::int64_t round_ = 0;  // sums so far
};

}  // namespace masing::parallel
