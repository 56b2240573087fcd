#pragma once

#include "base/partition.hpp"
#include "engine/run_spec.hpp"
#include "slab/chain/chain.hpp"

namespace masing::engine {

/// Evaluates the parameters of the elements `held` of a chain and of their nodes. Throws UserError
/// for the first value that is not allowed. Local.
slab::ChainPart chain_part(const MasingChain& chain, const base::CellRange& held);

/// Returns the nodes of the rank that holds the elements `held`, counted from the first node that
/// moves: the upper ends of its elements and, if the base absorbs, on the first rank the base.
/// Local.
base::CellRange nodes_of(const MasingChain& chain, const base::CellRange& held);

}  // namespace masing::engine
