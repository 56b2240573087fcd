#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "parallel/communicator.hpp"

namespace masing::parallel {

/// A reduction over the ranks of `comm`, for functions such as base::sum_within() that take one. It
/// has the same functions as base::NoReduction. `comm` must outlive the object.
struct RankReduction {
  const Communicator& comm;

  /// Replaces each entry by the maximum of this entry over all ranks. Collective.
  void max(std::span<double> values) const { max_over_ranks(comm, values); }
  /// Replaces each entry by the sum of this entry over all ranks. Collective.
  void sum(std::span<std::int64_t> values) const { sum_over_ranks(comm, values); }
};

/// Returns whether there are more ranks than cores on this host. The cores are those that mpirun
/// may use or, if mpirun has bound the ranks to cores, all cores of the host. Only Open MPI's
/// mpirun states the number of ranks; under any other launcher the result is false. Local.
bool ranks_outnumber_cores();

/// Sums integers over the ranks, fast enough for a sum at every step. If the ranks share memory,
/// each rank writes its terms there and reads the terms of the other ranks. This takes about a
/// third of the time of MPI_Allreduce, which is used if the ranks do not share memory: a rank waits
/// in it without pauses. Sums of integers are exact and therefore do not depend on the order of the
/// ranks.
class RankSum {
 public:
  /// `comm` must outlive this object. The ranks share memory if `shares_memory` is true, `comm` has
  /// 2 to 8 ranks, and all of them are on one host. By default `shares_memory` is false if the
  /// ranks outnumber the cores: a rank that waits by polling would then occupy a core that the
  /// awaited rank may need. Collective.
  explicit RankSum(const Communicator& comm, bool shares_memory = !ranks_outnumber_cores());
  ~RankSum();
  RankSum(const RankSum&) = delete;
  RankSum& operator=(const RankSum&) = delete;

  /// Replaces each of `values`, at most two, by the sum of this value over all ranks. Collective.
  void operator()(std::span<std::int64_t> values);

 private:
  static constexpr int most_ranks = 8;  // with more ranks, reading all terms takes long

  /// The terms of one rank in one sum. Each object has two cache lines of its own, because
  /// processors fetch cache lines in pairs.
  struct alignas(128) Terms {
    /// The number of the sum to which `values` belong. It is written after `values`: a rank that
    /// reads this number finds all values written.
    std::int64_t round = 0;
    std::array<std::int64_t, 2> values{};
  };

  const Communicator& comm_;
  MPI_Win window_ = MPI_WIN_NULL;
  // The terms of all ranks, [2][ranks]: one row for even sums and one for odd sums. A rank may
  // begin the next sum while another rank still reads the terms of the present sum.
  Terms* terms_ = nullptr;
  std::int64_t round_ = 0;  // the number of sums so far
};

}  // namespace masing::parallel
