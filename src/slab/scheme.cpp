#include "slab/scheme.hpp"

#include <fmt/core.h>

#include "base/error.hpp"

namespace masing::slab {

void require_stable(const SchemeInfo& scheme, const TimeGrid& time, double rate, double largest,
                    const std::string& limit) {
  if (time.step() * rate > largest) {
    throw base::UserError(
        "steps", fmt::format("{} is unstable beyond a step of {:.6g} = {}, and this one is {:.6g}; "
                             "give at least {} steps",
                             scheme.name, largest / rate, limit, time.step(),
                             static_cast<std::int64_t>(
                                 std::min(std::ceil(rate * time.final_time / largest), 0x1p53))));
  }
}

std::string growth_advice(const SchemeInfo& scheme, const TimeGrid& time, double frequency,
                          double decay) {
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

std::string step_advice(const Slab& slab, const Oscillator& oscillator, const SchemeInfo& scheme,
                        const TimeGrid& time) {
  const double frequency = elastic_frequency(slab, oscillator);
  const double decay = oscillator.damping / oscillator.mass;
  require_stable(scheme, time, decay, scheme.largest_damped_step, "2 m/c");
  require_stable(scheme, time, frequency, scheme.largest_step,
                 "2/omega (omega^2 = (k0 + int k ds)/m)");
  const std::string advice = growth_advice(scheme, time, frequency, decay);
  const bool serves = time.step() * frequency < info(Scheme::leapfrog).largest_step;
  return advice + (serves && !advice.empty() ? ", with scheme leapfrog not at all" : "");
}

}  // namespace masing::slab
