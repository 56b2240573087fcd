#include "engine/step_advice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/chain.hpp"

namespace masing::engine {

namespace {

/// Throws UserError if δt·rate exceeds `largest`. `limit` is the formula of the largest step, for
/// the message.
void require_stable(const slab::SchemeInfo& scheme, const slab::TimeGrid& time, double rate,
                    double largest, const std::string& limit) {
  if (time.step() * rate > largest) {
    throw base::UserError(
        "steps", fmt::format("{} is unstable beyond a step of {:.6g} = {}, and this one is {:.6g}; "
                             "give at least {} steps",
                             scheme.name, largest / rate, limit, time.step(),
                             static_cast<std::int64_t>(
                                 std::min(std::ceil(rate * time.final_time / largest), 0x1p53))));
  }
}

/// Returns a warning if elastic oscillations of the angular frequency ω = `frequency`, with c/m =
/// `decay`, grow too much, or an empty string.
std::string growth_advice(const slab::SchemeInfo& scheme, const slab::TimeGrid& time,
                          double frequency, double decay) {
  constexpr double most = 10.0;
  const double growth =
      std::exp(0.5 * (time.step() * frequency * frequency - decay) * time.final_time);
  if (!scheme.amplifies || !(growth > most)) {
    return {};
  }
  constexpr double tolerable = 1.1;
  return fmt::format(
      "with a step of {:.4g} {} lets an elastic oscillation grow by exp({} T/2) = {:.3g} until T; "
      "with a step of {:.4g} by {:g}",
      time.step(), scheme.name, decay > 0 ? "(dt omega^2 - c/m)" : "dt omega^2", growth,
      (2.0 * std::log(tolerable) / time.final_time + decay) / (frequency * frequency), tolerable);
}

std::string chain_advice(const MasingChain& chain, const slab::TimeGrid& time) {
  const slab::ChainPart part = chain_part(chain, {0, chain.elements()});
  const slab::SchemeInfo& scheme = slab::info(chain.scheme);
  std::vector<double> shape_stiffness;  // ∫ k ds
  for (const slab::Slab& shape : chain.shapes) {
    shape_stiffness.push_back(slab::elastic_stiffness(shape));
  }
  std::vector<double> stiffness(part.size());
  double damping = 0.0;  // the largest b_j/K_j, K_j = κ_j ∫k + k0_j
  for (std::size_t j = 0; j < part.size(); ++j) {
    const double slab = part.stiffness[j] * shape_stiffness[chain.shapes.size() == 1 ? 0 : j];
    stiffness[j] = slab + part.spring[j];
    damping = std::max(damping, part.dashpot[j] / stiffness[j]);
  }
  const double frequency = slab::chain_frequency(part.mass, stiffness);
  // With leapfrog the largest stable δt ω is less if the elements have dashpots, as their
  // velocities are taken at y + δt a.
  const double ratio = scheme.amplifies ? 0.0 : 0.5 * damping * frequency;
  require_stable(scheme, time, frequency,
                 scheme.largest_step * (std::sqrt(1 + 4 * ratio * ratio) - 2 * ratio),
                 "2/omega (less with dashpots c; omega is the greatest frequency)");
  // With euler all dashpots limit the step: by the largest c_i/m_i, and by ω² b_j/K_j.
  double decay = damping * frequency * frequency;
  for (std::size_t i = 0; i < part.mass.size(); ++i) {
    decay = std::max(decay, part.ground[i] > 0.0 ? part.ground[i] / part.mass[i] : 0.0);
  }
  require_stable(scheme, time, decay, scheme.largest_damped_step,
                 "2 m/c (c is a dashpot or base_impedance)");
  return growth_advice(scheme, time, frequency, 0.0);
}

}  // namespace

std::string step_advice(const RunSpec& run) {
  const ModelFacts facts = run.facts();
  if (facts.scheme == nullptr || facts.is_exact) {
    return {};
  }
  if (facts.chain != nullptr) {
    return chain_advice(*facts.chain, run.time);
  }
  const slab::SchemeInfo& scheme = *facts.scheme;
  const double frequency = slab::elastic_frequency(*facts.slab, facts.oscillator);
  const double decay = facts.oscillator.damping / facts.oscillator.mass;
  require_stable(scheme, run.time, decay, scheme.largest_damped_step, "2 m/c");
  require_stable(scheme, run.time, frequency, scheme.largest_step,
                 "2/omega (omega^2 = (k0 + int k ds)/m)");
  const std::string advice = growth_advice(scheme, run.time, frequency, decay);
  const bool serves = run.time.step() * frequency < slab::info(slab::Scheme::leapfrog).largest_step;
  return advice + (serves && !advice.empty() ? ", with scheme leapfrog not at all" : "");
}

}  // namespace masing::engine
