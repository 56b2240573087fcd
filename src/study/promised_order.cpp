#include "study/promised_order.hpp"

#include <algorithm>
#include <cmath>

#include "study/reference.hpp"

namespace masing::study {

namespace {

constexpr double rounding = 1e-12;  // relative differences that it makes

/// What is known of a function of s by its values.
struct Values {
  double size = 0.0;        ///< the largest |f|
  double spread = 0.0;      ///< the largest f less the least
  double difference = 0.0;  ///< |f(1) - f(0)|
};

Values values_of(const base::Function& f) {
  constexpr int samples = 1000;
  const double first = f(0.0);
  const double last = f(1.0);
  double least = std::min(first, last);
  double largest = std::max(first, last);
  for (int i = 0; i < samples; ++i) {
    const double value = f((i + 0.5) / samples);
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
  return {std::max(-least, largest), largest - least, std::abs(last - first)};
}

/// The largest difference of k, η, η - η⁻ and u0 at both ends, relative to the sizes of k and η.
double difference_of_ends(const slab::Slab& slab) {
  const Values stiffness = values_of(slab.stiffness);
  const Values threshold = values_of(slab.threshold);
  const double of_u = std::max({threshold.difference, values_of(slab.shift).difference,
                                values_of(slab.initial_u).difference});
  return std::max(stiffness.difference / stiffness.size, of_u / threshold.size);
}

ExpectedOrder order_in_space(const slab::Slab& slab, const std::string& quantity) {
  constexpr double close = 0.1;
  const bool uniform = is_uniform(slab);
  if (quantity == "u" && !uniform) {
    return {quantity, 1.0};
  }
  const double difference = slab.rule == slab::Rule::midpoint ? 0.0 : difference_of_ends(slab);
  return difference <= rounding ? ExpectedOrder{quantity, 2.0, uniform}
                                : ExpectedOrder{quantity, 1.0, difference < close};
}

}  // namespace

bool is_uniform(const slab::Slab& slab) {
  const Values threshold = values_of(slab.threshold);
  const double spread =
      std::max({threshold.spread, values_of(slab.shift).spread, values_of(slab.initial_u).spread});
  return spread <= rounding * threshold.size;
}

ExpectedOrder promised_order(const engine::Masing& model, Refine refine, const Reference& reference,
                             const std::string& quantity) {
  ExpectedOrder space = order_in_space(model.slab, quantity);
  ExpectedOrder time{quantity, static_cast<double>(slab::info(model.scheme).order)};
  const bool shares_cells = reference.is_exact_in_time() && !reference.is_continuum();
  const bool shares_steps = reference.is_continuum() && !reference.is_exact_in_time();
  const bool is_of_each_level = !reference.file();
  if (refine == Refine::steps || (is_of_each_level && refine == Refine::both && shares_cells)) {
    return time;
  }
  if (refine == Refine::cells || (is_of_each_level && shares_steps)) {
    return space;
  }
  const double least = std::min(space.order, time.order);
  return {quantity, least, space.order != time.order};
}

}  // namespace masing::study
