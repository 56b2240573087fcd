#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "parallel/communicator.hpp"
#include "parallel/vector.hpp"
#include "rheology/model_info.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::engine {

/// Where the state of a model lies: each rank holds that of its elements, group by group; files and
/// studies see columns, split over the ranks at block limits.
class StateColumns {
 public:
  /// `mine`: the elements that this rank holds, consecutive in the order of ranks. Collective.
  StateColumns(const parallel::Communicator& comm, rheology::StateLayout layout,
               base::CellRange mine);

  /// Where x and y of the mass that F acts on are in the state of its owner.
  [[nodiscard]] const rheology::MassColumns& mass_columns() const { return mass_columns_; }
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
  rheology::MassColumns mass_columns_;
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
