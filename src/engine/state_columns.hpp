#pragma once

#include <cstdint>
#include <vector>

#include "parallel/vector.hpp"
#include "rheology/model_info.hpp"

namespace engine {

/// Where the state of a model lies: each rank holds that of its elements, group by group, or the
/// whole; files and studies see columns, split over the ranks at block limits.
class StateColumns {
 public:
  /// `mine`: the elements that this rank holds, consecutive in the order of ranks. Collective.
  StateColumns(const parallel::Communicator& comm, rheology::StateLayout layout,
               base::CellRange mine, rheology::Work work);

  /// Where x and y of the mass that F acts on are in the state of its owner.
  [[nodiscard]] const rheology::MotionColumns& motion() const { return motion_; }
  /// The rank that holds that mass; none where every rank does.
  [[nodiscard]] std::optional<int> owner() const { return owner_; }
  /// The columns of `state`, that of the elements held. Collective.
  parallel::Vector& gather(std::span<const double> state);
  /// The state of the elements held, from the columns as gather's vector has them. Collective.
  void spread(std::span<double> state) const;

 private:
  rheology::StateLayout layout_;
  base::CellRange mine_;
  rheology::Work work_;
  rheology::MotionColumns motion_;
  std::optional<int> owner_;
  parallel::Vector columns_;
};

}  // namespace engine
