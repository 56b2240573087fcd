#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/partition.hpp"
#include "engine/engine.hpp"
#include "engine/model.hpp"
#include "slab/chain/chain.hpp"

namespace masing::engine {

/// A chain of n masses with the continuous Masing element in each link. Source: (2.30),
/// rheological-models-2000, with slabs for the St-Venant elements.
struct MasingChain {
  /// The slab of an element for κ = θ = 1, with η⁺ as `threshold` and u0 as `initial_u`. Its
  /// functions may contain i, the number of the element, and n; with i in them each element has a
  /// slab of its own.
  slab::Slab shape;
  base::Function threshold_down;  ///< η⁻(s), which may contain i and n, too
  /// n and the parameters of the nodes and elements: m, k (κ), eta (θ), k0, c (b), c_ground (c), x0
  /// and y0 have one value for each, base_impedance and base_mass one value.
  rheology::ModelSpec parameters;
  slab::Scheme scheme = slab::Scheme::leapfrog;
  bool absorbs = false;         ///< whether node 0 is a mass on a dashpot, an elastic half-space
  std::int64_t force_node = 1;  ///< the node that F acts on, 1, …, n
  std::vector<std::int64_t> watch = {};  ///< nodes whose motion is recorded at every sample
  bool keeps_works = false;              ///< whether the works of all forces are integrated

  [[nodiscard]] std::int64_t elements() const { return parameters.parameters.elements; }
  /// Returns the number of nodes that move: n, or n + 1 if the base absorbs.
  [[nodiscard]] std::int64_t nodes() const { return elements() + (absorbs ? 1 : 0); }
};

/// Returns the model of a chain. Throws UserError if too many elements have a slab of their own.
/// Local.
std::shared_ptr<const Model> make_model(MasingChain chain);

/// Returns the chain of a model, or null if the model is another. Local.
const MasingChain* chain_of(const Model& model);

/// Returns this rank's part of the chain that an engine advances. The engine must be that of a
/// chain. Local.
const slab::Chain& chain_in(Engine& engine);

/// Evaluates the parameters of the elements `held` of a chain and of their nodes. Throws UserError
/// for the first value that is not allowed. Local.
slab::ChainPart chain_part(const MasingChain& chain, const base::CellRange& held);

/// Returns the nodes of the rank that holds the elements `held`, counted from the first node that
/// moves: the upper ends of its elements and, if the base absorbs, on the first rank the base.
/// Local.
base::CellRange nodes_of(const MasingChain& chain, const base::CellRange& held);

}  // namespace masing::engine
