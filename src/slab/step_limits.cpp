#include "slab/step_limits.hpp"

#include <algorithm>
#include <cmath>

namespace masing::slab {

double elastic_frequency(const Problem& problem) {
  constexpr int places = 1024;
  double sum = 0.0;
  for (int i = 0; i < places; ++i) {
    sum += problem.stiffness((i + 0.5) / places);
  }
  return std::sqrt((problem.oscillator.k0 + sum / places) / problem.oscillator.mass);
}

double elastic_growth(double frequency, const TimeGrid& time) {
  return std::exp(0.5 * time.step() * frequency * frequency * time.final_time);
}

double step_for_growth(double frequency, const TimeGrid& time, double growth) {
  return 2.0 * std::log(growth) / (frequency * frequency * time.final_time);
}

std::int64_t least_stable_steps(double frequency, const TimeGrid& time) {
  // Counts of steps end at 2^53.
  return static_cast<std::int64_t>(
      std::clamp(std::ceil(0.5 * frequency * time.final_time), 1.0, 0x1p53));
}

}  // namespace masing::slab
