#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "parallel/communicator.hpp"
#include "parallel/session.hpp"

namespace masing::parallel {

/// A reduction over the ranks of `comm`, with the same functions as base::NoReduction. `comm` must
/// outlive the object.
struct RankReduction {
  const Communicator& comm;

  /// Replaces each entry by the maximum of this entry over all ranks. Collective.
  void max(std::span<double> values) const { max_over_ranks(comm, values); }
  /// Replaces each entry by the sum of this entry over all ranks. Collective.
  void sum(std::span<std::int64_t> values) const { sum_over_ranks(comm, values); }
};

/// Sums a few integers over the ranks, once per step. If there are at most 8 ranks, all on one
/// host, each rank writes its terms to shared memory and reads the terms of the other ranks, which
/// takes a third of the time of MPI_Allreduce; in all other cases MPI_Allreduce is used. The sums
/// of integers are exact, so that they do not depend on the order of the ranks.
class RankSum {
 public:
  /// `comm` must outlive this object. Memory is shared only if all ranks are on one host. By
  /// default it is not shared either if the ranks outnumber the cores, because a rank that waits by
  /// polling would occupy a core that the awaited rank may need. Collective.
  explicit RankSum(const Communicator& comm, bool shares_memory = !ranks_outnumber_cores());
  ~RankSum();
  RankSum(const RankSum&) = delete;
  RankSum& operator=(const RankSum&) = delete;

  /// Replaces each of `values` by the sum of this value over all ranks. Collective.
  void operator()(std::span<std::int64_t> values);

 private:
  static constexpr std::size_t most_values = 6;
  static constexpr int most_ranks = 8;  // every rank reads the terms of all others

  /// The terms of one rank in one sum. The alignment is that of two cache lines, because processors
  /// fetch cache lines in pairs.
  struct alignas(128) Terms {
    /// The number of the sum to which `values` belong. It is written after `values`.
    std::int64_t round = 0;
    std::array<std::int64_t, most_values> values{};
  };

  const Communicator& comm_;
  MPI_Win window_ = MPI_WIN_NULL;
  // The terms of all ranks in two consecutive sums, [2][ranks], because a rank may begin the next
  // sum while another rank still reads the terms of the present sum.
  Terms* terms_ = nullptr;
  std::int64_t round_ = 0;  // the number of sums so far
};

}  // namespace masing::parallel
