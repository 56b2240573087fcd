#include "slab/scheme.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace masing::slab {

const SchemeInfo& info(Scheme scheme) {
  return *std::ranges::find(schemes, scheme, &SchemeInfo::scheme);
}

double elastic_frequency(const Slab& slab, const Oscillator& oscillator) {
  constexpr int places = 1024;
  double sum = 0.0;
  for (int i = 0; i < places; ++i) {
    sum += slab.stiffness((i + 0.5) / places);
  }
  return std::sqrt((oscillator.k0 + sum / places) / oscillator.mass);
}

double elastic_growth(double frequency, double decay, const TimeGrid& time) {
  return std::exp(0.5 * (time.step() * frequency * frequency - decay) * time.final_time);
}

double step_for_growth(double frequency, double decay, const TimeGrid& time, double growth) {
  return (2.0 * std::log(growth) / time.final_time + decay) / (frequency * frequency);
}

std::int64_t least_stable_steps(double rate, const TimeGrid& time, double largest) {
  // Counts of steps end at 2^53.
  return static_cast<std::int64_t>(
      std::clamp(std::ceil(rate * time.final_time / largest), 1.0, 0x1p53));
}

}  // namespace masing::slab
