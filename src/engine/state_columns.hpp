#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "parallel/communicator.hpp"
#include "parallel/vector.hpp"
#include "rheology/model_info.hpp"
#include "rheology/s_elements.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::engine {

/// Sums and maxima over the ranks at every step, for rheology, which is MPI-free. `comm` must
/// outlive it.
class RankReduction {
 public:
  explicit RankReduction(const parallel::Communicator& comm) : comm_(&comm) {}
  /// Collective.
  void max(std::span<double> values) const {
    parallel::max_over_ranks(*comm_, values, parallel::Wait::polling);
  }
  /// Collective.
  void sum(std::span<std::int64_t> values) const {
    parallel::sum_over_ranks(*comm_, values, parallel::Wait::polling);
  }

 private:
  const parallel::Communicator* comm_;
};

/// A chain whose elements are split over ranks: the ends of a part are its neighbours', but those
/// of the whole chain.
class RankBoundary {
 public:
  /// `mine`: the elements of this rank of `elements`; `comm` must outlive it. Local.
  RankBoundary(const parallel::Communicator& comm, base::CellRange mine, std::int64_t elements)
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

/// Where the state of a model lies: each rank holds that of its elements, group by group; files and
/// studies see columns, split over the ranks at block limits.
class StateColumns {
 public:
  /// `mine`: the elements that this rank holds, consecutive in the order of ranks. Collective.
  StateColumns(const parallel::Communicator& comm, rheology::StateLayout layout,
               base::CellRange mine);

  /// Where x and y of the mass that F acts on are in the state of its owner.
  [[nodiscard]] const rheology::MassColumns& motion() const { return motion_; }
  /// The rank that holds that mass, of several; none where every rank does.
  [[nodiscard]] std::optional<int> owner() const { return owner_; }
  /// The columns of `state`, that of the elements held. Collective.
  parallel::Vector& gather(std::span<const double> state);
  /// The state of the elements held, from the columns as gather's vector has them. Collective.
  void spread(std::span<double> state) const;

 private:
  rheology::StateLayout layout_;
  base::CellRange mine_;
  bool is_whole_;  // on one rank
  rheology::MassColumns motion_;
  std::optional<int> owner_;
  parallel::Vector columns_;
};

/// u as a vector, made when it is first asked for: of many cells few runs do.
class LazyField {
 public:
  LazyField(const parallel::Communicator& comm, std::int64_t cells) : comm_(comm), cells_(cells) {}

  /// u from a hysteresis memory, each rank its own cells. Collective.
  const parallel::Vector& of(const slab::RememberedElongation& u, const slab::Profile& profile);

 private:
  const parallel::Communicator& comm_;
  std::int64_t cells_;
  std::optional<parallel::Vector> field_;
};

}  // namespace masing::engine
