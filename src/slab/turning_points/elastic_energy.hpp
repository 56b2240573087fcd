#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "slab/turning_points/interval_sets.hpp"
#include "slab/turning_points/turning_points.hpp"

namespace masing::slab {

/// ½ ∫ k u² ds, u = v + c: between two radii of legs v is ±η + a constant, beyond the largest what
/// the YieldSets give. `below(r)`: Moments over η ≤ r; `total`: over all; `sets`: none where v
/// begins with 0. Local.
template <class Below>
double elastic_energy(const Below& below, const Moments& total,
                      const std::optional<IntervalSets>& sets, const RememberedElongation& u) {
  double twice = total.load_square;
  Moments reached;
  // The cells up to `next`, beyond those reached, with v = sign η + offset.
  const auto add_band = [&](double next, int sign, double offset) {
    const Moments to = below(next);
    Moments band = to;
    band.add(-1.0, reached);
    twice += band.yielded_square(sign, offset) + 2 * (sign * band.load_force + offset * band.load);
    reached = to;
  };
  if (u.legs.empty()) {
    const double radius = sets ? 0.5 * (u.highest - u.lowest) : u.direction * (u.x - u.x0);
    add_band(std::max(0.0, radius), u.direction, 0.0);
  } else {
    add_band(std::max(0.0, 0.5 * u.direction * (u.x - u.legs.back().position)), u.direction, 0.0);
    for (auto leg = u.legs.rbegin(); leg != u.legs.rend(); ++leg) {
      const double span = leg->position - leg->meeting;
      add_band(0.5 * std::abs(span), span < 0.0 ? -1 : 1, u.x - leg->position);
    }
  }
  const double move = u.x - u.x0;
  if (!sets) {
    return 0.5 * (twice + move * move * (total.stiffness - reached.stiffness) +
                  2 * move * (total.load - reached.load));
  }
  const auto all = sets->sums({u.highest - u.x0, u.x0 - u.lowest, u.highest - u.lowest});
  const auto of = [&](YieldSet set) -> const Moments& {
    return all[static_cast<std::size_t>(set)];
  };
  const Moments& up = of(YieldSet::up);
  const Moments& down = of(YieldSet::down);
  const Moments& never = of(YieldSet::never);
  twice += up.yielded_square(1, u.x - u.highest) + down.yielded_square(-1, u.x - u.lowest) +
           never.initial_square_at(move);
  twice += 2 * (up.load_force + (u.x - u.highest) * up.load - down.load_force +
                (u.x - u.lowest) * down.load + never.load_initial + move * never.load);
  return 0.5 * twice;
}

}  // namespace masing::slab
