#include "slab/steady/period_map.hpp"

#include <algorithm>

#include "base/hooks.hpp"

namespace masing::slab {

std::optional<TurningPointState> past_on_arrival(const Measure& measure, TurningPointState past,
                                                 double x, int direction) {
  if (past.positions.empty()) {
    past.x = x;
    past.direction = direction;
    return past;
  }
  past.x = past.positions.back();
  if (direction * (x - past.x) < 0.0) {
    return std::nullopt;
  }
  TurningPoints slab(measure, past);
  slab.move_to(x);
  return slab.state();
}

std::optional<OscillatorSolution> PeriodMap::from(const Extreme& start) const {
  if (!std::isfinite(start.x) || !std::isfinite(start.phase)) {
    return std::nullopt;
  }
  const auto past = past_on_arrival(*measure_, start.past, start.x, start.side);
  if (!past) {
    return std::nullopt;
  }
  return std::optional<OscillatorSolution>(std::in_place, *measure_, at(start.x, 0.0),
                                           force_.from(start.phase), StepControl{}, *past);
}

OscillatorSolution PeriodMap::from(const PeriodEnd& start) const {
  return OscillatorSolution(*measure_, at(start.x, start.y), force_.from(0.0), {}, start.past);
}

std::optional<Passage> PeriodMap::passage(const Extreme& start, double span,
                                          bool with_works) const {
  auto solution = from(start);
  if (!solution) {
    return std::nullopt;
  }
  if (with_works) {
    solution->follow_works();
  }
  std::optional<Passage> nearest;
  double least = start.x;
  double most = start.x;
  while (auto reversal = solution->next_reversal(span + force_.period / 2)) {
    base::poll();
    least = std::min(least, reversal->x);
    most = std::max(most, reversal->x);
    if (reversal->direction != start.side) {
      continue;
    }
    if (nearest && std::abs(reversal->time - span) > std::abs(nearest->span - span)) {
      break;
    }
    nearest = Passage{reversal->time,   reversal->x, least, most, std::move(reversal->past),
                      solution->works()};
  }
  const bool is_near = nearest && std::abs(nearest->span - span) < force_.period / 2;
  return is_near ? nearest : std::nullopt;
}

PeriodEnd PeriodMap::period_after(const PeriodEnd& start) const {
  base::poll();
  OscillatorSolution solution = from(start);
  const MassState end = solution.at(force_.period);
  return {end.x, end.y, solution.turning_points().state()};
}

std::optional<Extreme> PeriodMap::outer_extreme(const PeriodEnd& start, int periods) const {
  OscillatorSolution solution = from(start);
  std::optional<Extreme> most;
  std::optional<Extreme> least;
  while (auto reversal = solution.next_reversal(periods * force_.period)) {
    const int side = reversal->direction;
    auto& outer = side > 0 ? most : least;
    if (!outer || side * (reversal->x - outer->x) > 0.0) {
      outer = Extreme{std::fmod(reversal->time, force_.period), reversal->x,
                      std::move(reversal->past), side};
    }
  }
  const bool takes_least =
      least && (!most || least->past.positions.size() < most->past.positions.size());
  return takes_least ? least : most;
}

Oscillator PeriodMap::at(double x, double y) const {
  Oscillator moved = oscillator_;
  moved.x0 = x;
  moved.y0 = y;
  return moved;
}

}  // namespace masing::slab
