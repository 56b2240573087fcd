#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/poll.hpp"
#include "slab/exact/exact_solution.hpp"
#include "slab/steady/periodic_force.hpp"

namespace masing::slab {

/// The mass at an extreme of its motion, where y = 0, and the slab on arrival there: all that the
/// motion depends on from here.
struct Extreme {
  double phase = 0.0;  ///< the time since the last beginning of a period, in [0, τ)
  double x = 0.0;
  TurningPointState past;
  int side = 1;  ///< +1: the largest x, -1: the least
};

/// The motion from an extreme to a later reversal.
struct Passage {
  double span = 0.0;  ///< the time it took
  double x = 0.0;     ///< at the reversal
  double least_x = 0.0;
  double most_x = 0.0;
  TurningPointState past;  ///< on arrival
  Works works;             ///< if they are asked for
};

/// What has a state at a time t = nτ.
struct PeriodEnd {
  double x = 0.0;
  double y = 0.0;
  TurningPointState past;
};

/// A past on arrival at another position of its leg; nothing where that lies before the leg.
template <StiffnessMeasure Measure>
std::optional<TurningPointState> arrived(const Measure& measure, TurningPointState past, double x,
                                         int direction) {
  if (past.positions.empty()) {
    past.x = x;
    past.direction = direction;
    return past;
  }
  past.x = past.positions.back();
  if (direction * (x - past.x) < 0.0) {
    return std::nullopt;
  }
  TurningPoints<Measure> slab(measure, past);
  slab.move_to(x);
  return slab.state();
}

/// The motion of a mass on a slab under a periodic force, from an extreme or from the beginning of
/// a period, exact in time. To first order, what lies outside a cycle and what it has passed last
/// are all that the slab remembers, so that extremes and the reversals they lead to are a smooth
/// map of two numbers, phase and x, wherever no event is grazed. Of the two extremes of a cycle
/// this holds of the outer one, before which the slab remembers less: where each cycle goes a
/// little beyond the one before, the slab remembers that extreme at the other one.
template <StiffnessMeasure Measure>
class PeriodMap {
 public:
  using Solution = ExactSolution<Measure>;

  /// `measure` must outlive the object.
  PeriodMap(const Measure& measure, const Oscillator& oscillator, PeriodicForce force)
      : measure_(&measure), oscillator_(oscillator), force_(std::move(force)) {}

  [[nodiscard]] const Measure& measure() const { return *measure_; }
  [[nodiscard]] const Oscillator& oscillator() const { return oscillator_; }
  [[nodiscard]] const PeriodicForce& force() const { return force_; }
  /// ω, ω² = (k0 + ∫k)/m.
  [[nodiscard]] double frequency() const {
    return std::sqrt((oscillator_.k0 + measure_->total_stiffness()) / oscillator_.mass);
  }

  /// The motion from an extreme; nothing where the mass could not have arrived there.
  [[nodiscard]] std::optional<Solution> from(const Extreme& start) const {
    if (!std::isfinite(start.x) || !std::isfinite(start.phase)) {
      return std::nullopt;
    }
    const auto past = arrived(*measure_, start.past, start.x, start.side);
    if (!past) {
      return std::nullopt;
    }
    return std::optional<Solution>(std::in_place, *measure_, at(start.x, 0.0),
                                   force_.from(start.phase), ExactOptions{}, *past);
  }
  /// The motion from the beginning of a period.
  [[nodiscard]] Solution from(const PeriodEnd& start) const {
    return Solution(*measure_, at(start.x, start.y), force_.from(0.0), {}, start.past);
  }

  /// Whether a passage adds up works, at a third more cost.
  enum class Adds { nothing, works };

  /// To the reversal nearest to `span` after the start, a maximum (direction +1) or a minimum;
  /// nothing where there is none within half a period of it.
  [[nodiscard]] std::optional<Passage> passage(const Extreme& start, double span, int direction,
                                               Adds adds = Adds::nothing) const {
    auto solution = from(start);
    if (!solution) {
      return std::nullopt;
    }
    if (adds == Adds::works) {
      solution->follow_works();
    }
    std::optional<Passage> nearest;
    double least = start.x;
    double most = start.x;
    while (auto reversal = solution->next_reversal(span + force_.period / 2)) {
      base::poll();
      least = std::min(least, reversal->x);
      most = std::max(most, reversal->x);
      if (reversal->direction != direction) {
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

  /// One period on.
  [[nodiscard]] PeriodEnd period_after(const PeriodEnd& start) const {
    base::poll();
    Solution solution = from(start);
    const MassState end = solution.at(force_.period);
    return {end.x, end.y, solution.turning_points().state()};
  }

  /// The end of the period that an extreme is in; nothing where the mass could not have arrived
  /// there.
  [[nodiscard]] std::optional<PeriodEnd> end_of_period(const Extreme& start) const {
    auto solution = from(start);
    if (!solution) {
      return std::nullopt;
    }
    const MassState end =
        solution->at(force_.period *
                     (1 - (start.phase / force_.period - std::floor(start.phase / force_.period))));
    return PeriodEnd{end.x, end.y, solution->turning_points().state()};
  }

  /// The outer extreme in `periods` periods from the beginning of one: the largest x or the least,
  /// before which the slab remembers fewer turning points. Nothing where there is none.
  [[nodiscard]] std::optional<Extreme> outer_extreme(const PeriodEnd& start, int periods) const {
    Solution solution = from(start);
    std::optional<Extreme> most;
    std::optional<Extreme> least;
    while (auto reversal = solution.next_reversal(periods * force_.period)) {
      const int side = reversal->direction;
      auto& found = side > 0 ? most : least;
      if (!found || side * (reversal->x - found->x) > 0.0) {
        found = Extreme{std::fmod(reversal->time, force_.period), reversal->x,
                        std::move(reversal->past), side};
      }
    }
    const bool takes_least =
        least && (!most || least->past.positions.size() < most->past.positions.size());
    return takes_least ? least : most;
  }

 private:
  [[nodiscard]] Oscillator at(double x, double y) const {
    Oscillator moved = oscillator_;
    moved.x0 = x;
    moved.y0 = y;
    return moved;
  }

  const Measure* measure_;
  Oscillator oscillator_;
  PeriodicForce force_;
};

}  // namespace masing::slab
