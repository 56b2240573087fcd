#pragma once

#include <cstdint>
#include <string>

#include "engine/slab_table.hpp"
#include "masing/cell_measure.hpp"

namespace engine {

/// The distribution of stiffness of P cells, each rank with its own; look-ups are collective.
using DistributedMeasure = masing::TableMeasure<SlabTable>;

/// Cells up to which every rank gets the whole table (some 50 MB), and a step needs no
/// communication.
inline constexpr std::int64_t replicated_cells = std::int64_t{1} << 21;

/// Whether replicated_measure is the one to take for `cells` cells. Local.
inline bool fits_every_rank(int ranks, std::int64_t cells) {
  return ranks == 1 || cells <= replicated_cells;
}

/// The measure of all cells on every rank, from the slab of each. Collective.
masing::CellMeasure replicated_measure(const parallel::Communicator& comm,
                                       const masing::Profile& profile);

/// The measure of all `cells` cells, each rank with the cells of its slab. The same bits as
/// replicated_measure. `comm` must outlive it. Collective.
DistributedMeasure distributed_measure(const parallel::Communicator& comm,
                                       const masing::Profile& profile, std::int64_t cells);

/// Why the slab's initial state cannot be remembered by turning points (masing::memory_fault, over
/// the cells of all ranks), in one line, the same on every rank; empty if it can. Collective.
std::string memory_fault(const parallel::Communicator& comm, const masing::Profile& profile);

}  // namespace engine
