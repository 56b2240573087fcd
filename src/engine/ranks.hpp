#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "parallel/communicator.hpp"
#include "parallel/neighbours.hpp"
#include "rheology/s_chain.hpp"

namespace engine {

/// Sums and maxima over the ranks, for physics that does not know them. `comm` must outlive it.
class RankReduction {
 public:
  explicit RankReduction(const parallel::Communicator& comm) : comm_(&comm) {}
  /// Collective.
  void max(std::span<double> values) const { parallel::max_over_ranks(*comm_, values); }
  /// Collective.
  void sum(std::span<std::int64_t> values) const { parallel::sum_over_ranks(*comm_, values); }

 private:
  const parallel::Communicator* comm_;
};

/// A chain whose elements are split over ranks: the ends of a part are its neighbours', but those
/// of the whole chain.
class RankLine {
 public:
  /// `mine`: the elements of this rank of `elements`. Collective on `comm`.
  RankLine(const parallel::Communicator& comm, base::CellRange mine, std::int64_t elements)
      : neighbours_(comm, mine, elements), is_last_(mine.first + mine.size == elements) {}

  /// As rheology::WholeChain's. Collective.
  rheology::WholeChain::Ends exchange(double first_force, double last_velocity, double force) {
    const auto received = neighbours_.exchange(first_force, last_velocity);
    return {received.from_before, is_last_ ? force : received.from_after};
  }

 private:
  parallel::Neighbours neighbours_;
  bool is_last_;
};

}  // namespace engine
