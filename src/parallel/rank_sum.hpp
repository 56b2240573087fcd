#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "parallel/communicator.hpp"
#include "parallel/session.hpp"

namespace masing::parallel {

/// Maxima and sums over the ranks, in place of base::NoReduction. `comm` must outlive it.
struct RankReduction {
  const Communicator& comm;

  /// Collective.
  void max(std::span<double> values) const { max_over_ranks(comm, values); }
  /// Collective.
  void sum(std::span<std::int64_t> values) const { sum_over_ranks(comm, values); }
};

/// Sums of a few integers over the ranks, once a step. Up to 8 ranks of one host write their terms
/// to shared memory and read the others', in a third of the time of MPI_Allreduce, which is used
/// for all other sums. Exact, whatever the order.
class RankSum {
 public:
  /// `comm` must outlive it. Memory is shared only on one host, and not where its ranks outnumber
  /// the cores: a rank that polls keeps the core that the rank it waits for may need. Collective.
  explicit RankSum(const Communicator& comm, bool shares_memory = !ranks_outnumber_cores());
  ~RankSum();
  RankSum(const RankSum&) = delete;
  RankSum& operator=(const RankSum&) = delete;

  /// Replace each of `values` by its sum over the ranks. Collective.
  void operator()(std::span<std::int64_t> values);

 private:
  static constexpr std::size_t most_values = 6;
  static constexpr int most_ranks = 8;  // each reads the terms of every other

  /// The terms of one rank in one sum. Processors fetch cache lines in pairs.
  struct alignas(128) Terms {
    std::int64_t round = 0;  ///< the sum these values belong to; written last
    std::array<std::int64_t, most_values> values{};
  };

  const Communicator& comm_;
  MPI_Win window_ = MPI_WIN_NULL;
  Terms* terms_ = nullptr;  // [2][ranks]: a rank may be one sum ahead of one that still reads
  std::int64_t round_ = 0;  // sums so far
};

}  // namespace masing::parallel
