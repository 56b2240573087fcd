#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "parallel/communicator.hpp"
#include "parallel/vector.hpp"
#include "slab/profile.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::engine {

/// The field u as a vector that is allocated when it is first requested: most runs with many cells
/// do not need the field.
class LazyField {
 public:
  LazyField(const parallel::Communicator& comm, std::int64_t cells) : comm_(comm), cells_(cells) {}

  /// Computes u in the cells of `profile` from the turning points, and returns it; each rank
  /// computes its own cells. Collective.
  const parallel::Vector& of(const slab::RememberedElongation& u, const slab::Profile& profile) {
    if (!field_) {
      field_.emplace(comm_, cells_);
    }
    const std::span<double> values = field_->values();
    for (std::int64_t i = 0; i < profile.range.size; ++i) {
      values[static_cast<std::size_t>(i)] = u(profile.element(i));
    }
    return *field_;
  }

 private:
  const parallel::Communicator& comm_;
  std::int64_t cells_;
  std::optional<parallel::Vector> field_;
};

}  // namespace masing::engine
