#pragma once

#include <cstdint>
#include <string>

#include "options/configuration.hpp"
#include "parallel/communicator.hpp"

namespace engine {

/// What a run keeps of every cell.
struct MemoryNeed {
  std::int64_t cells = 1;  ///< of the field, on all ranks
  int ranks = 1;
  /// sweep for P = ∞ too, whose tables do not grow with the places of the field.
  options::EngineKind engine = options::EngineKind::sweep;
  int arrays = 0;           ///< of k, η, u0, how many are kept
  bool moved = false;       ///< u0 is not 0 everywhere: tables of both virgin orders
  std::int64_t fields = 0;  ///< vectors of P cells that a study keeps
};

/// Bytes that the rank with most cells needs: 8 a cell for u, each array and each field; tables of
/// 24 for all P cells where every rank has them all, of 17 a cell of its own where not. Local.
double bytes_a_rank(const MemoryNeed& need);

/// Why a run does not fit into `available` bytes a rank beside `others`, and what would help, in
/// one line; empty if it fits. Local.
std::string memory_shortage(const MemoryNeed& need, double available, double others = 0.0);

/// Throws UserError alike on all ranks if the run does not fit into the memory of the nodes.
/// Collective.
void require_memory(const parallel::Communicator& comm, const MemoryNeed& need);

}  // namespace engine
