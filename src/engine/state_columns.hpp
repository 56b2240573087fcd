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

/// Converts the state of a model of finitely many elements between two distributions. In the
/// engine, each rank stores the state of its own elements, group by group (rheology::StateGroup).
/// Files and studies use a vector of all columns of the state that is split over the ranks at
/// limits of blocks.
class StateColumns {
 public:
  /// `mine` are the elements of this rank; the elements are distributed in the order of the ranks.
  /// Collective.
  StateColumns(const parallel::Communicator& comm, rheology::StateLayout layout,
               base::CellRange mine);

  /// Returns the columns of x and y of the mass on which F acts. They are indices in the state that
  /// the rank owner() stores, or in that of every rank if owner() has no value. On other ranks the
  /// result has no meaning.
  [[nodiscard]] const rheology::MassColumns& mass_columns() const { return mass_columns_; }
  /// Returns the rank that stores the mass on which F acts, or no value if every rank stores this
  /// mass. Local.
  [[nodiscard]] std::optional<int> owner() const { return owner_; }
  /// Copies `state`, the state of this rank's elements, into the vector of columns and returns this
  /// vector. Collective.
  parallel::Vector& gather(std::span<const double> state);
  /// Copies the state of this rank's elements from the vector of columns, which gather() returns,
  /// to `state`. Collective.
  void spread(std::span<double> state) const;

 private:
  rheology::StateLayout layout_;
  base::CellRange mine_;
  bool is_whole_;  // whether one rank stores the whole state
  rheology::MassColumns mass_columns_;
  std::optional<int> owner_;
  parallel::Vector columns_;
};

/// The field u as a vector that is allocated when it is first requested: most runs with many cells
/// do not need the field.
class LazyField {
 public:
  LazyField(const parallel::Communicator& comm, std::int64_t cells) : comm_(comm), cells_(cells) {}

  /// Computes u in the cells of `profile` from the turning points, and returns it; each rank
  /// computes its own cells. Collective.
  const parallel::Vector& of(const slab::RememberedElongation& u, const slab::Profile& profile);

 private:
  const parallel::Communicator& comm_;
  std::int64_t cells_;
  std::optional<parallel::Vector> field_;
};

}  // namespace masing::engine
