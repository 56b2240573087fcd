#include "engine/step_advice.hpp"

#include "engine/chain.hpp"

namespace masing::engine {

std::string step_advice(const RunSpec& run) {
  const ModelFacts facts = run.facts();
  if (facts.scheme == nullptr || run.method == Method::exact) {
    return {};
  }
  if (const MasingChain* chain = facts.chain) {
    return slab::step_advice(chain_part(*chain, {0, chain->elements()}), chain->shapes,
                             *facts.scheme, run.time);
  }
  return slab::step_advice(*facts.slab, facts.oscillator, *facts.scheme, run.time);
}

}  // namespace masing::engine
