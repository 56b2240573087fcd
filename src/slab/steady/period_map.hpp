#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/bounds.hpp"
#include "base/periodicity.hpp"
#include "base/smooth_pieces.hpp"
#include "slab/exact/oscillator_solution.hpp"

namespace masing::slab {

/// A force of period τ.
struct PeriodicForce {
  /// How many periods from t = 0 on the functions and the breaks are asked for.
  static constexpr double horizon = base::horizon;

  std::function<double(double)> value;                   ///< F(t)
  std::function<base::Bounds(double, double)> bounds{};  ///< as SmoothPieces takes them
  std::vector<double> breaks{};  ///< where F may not be smooth in (0, 8τ), increasing
  double period = 1.0;           ///< τ

  /// F(t + phase) from t = 0 on. Local.
  [[nodiscard]] base::SmoothPieces from(double phase) const {
    phase -= std::floor(phase / period) * period;
    std::vector<double> later = breaks;
    for (double& at : later) {
      at -= phase;  // SmoothPieces leaves out what lies before 0
    }
    const auto value_at = [f = value, phase](double t) { return f(t + phase); };
    if (!bounds) {
      return {value_at, std::move(later), horizon * period - phase};
    }
    return {
        value_at, std::move(later), horizon * period - phase,
        [b = bounds, phase](double first, double last) { return b(first + phase, last + phase); }};
  }
};

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
std::optional<TurningPointState> past_on_arrival(const Measure& measure, TurningPointState past,
                                                 double x, int direction);

/// The motion of a mass on a slab under a periodic force, from an extreme of x or from the
/// beginning of a period, exact in time. At an extreme y = 0, and the slab remembers the turning
/// points outside the cycle, which the cycle leaves alone. So the next reversals depend on two
/// numbers, phase and x, and smoothly, wherever no event is grazed. Start at the outer extreme,
/// where fewer turning points are remembered: at the inner one the outer may still be among them.
class PeriodMap {
 public:
  /// `measure` must outlive the object.
  PeriodMap(const Measure& measure, const Oscillator& oscillator, PeriodicForce force)
      : measure_(&measure), oscillator_(oscillator), force_(std::move(force)) {}

  [[nodiscard]] const Measure& measure() const { return *measure_; }
  [[nodiscard]] const Oscillator& oscillator() const { return oscillator_; }
  [[nodiscard]] const PeriodicForce& force() const { return force_; }
  /// ω, ω² = (k0 + ∫k)/m.
  [[nodiscard]] double frequency() const {
    return std::sqrt((oscillator_.k0 + measure_->total().stiffness) / oscillator_.mass);
  }

  /// The motion from an extreme; nothing where the mass could not have arrived there.
  [[nodiscard]] std::optional<OscillatorSolution> from(const Extreme& start) const;
  /// The motion from the beginning of a period.
  [[nodiscard]] OscillatorSolution from(const PeriodEnd& start) const;

  /// To the reversal nearest to `span` after the start, a maximum (direction +1) or a minimum;
  /// nothing where there is none within half a period of it. Works cost a third more.
  [[nodiscard]] std::optional<Passage> passage(const Extreme& start, double span, int direction,
                                               bool with_works = false) const;

  /// One period on.
  [[nodiscard]] PeriodEnd period_after(const PeriodEnd& start) const;

  /// The end of the period that an extreme is in; nothing where the mass could not have arrived
  /// there.
  [[nodiscard]] std::optional<PeriodEnd> end_of_period(const Extreme& start) const;

  /// The outer extreme in `periods` periods from the beginning of one: the largest x or the least,
  /// before which the slab remembers fewer turning points. Nothing where there is none.
  [[nodiscard]] std::optional<Extreme> outer_extreme(const PeriodEnd& start, int periods) const;

 private:
  [[nodiscard]] Oscillator at(double x, double y) const;

  const Measure* measure_;
  Oscillator oscillator_;
  PeriodicForce force_;
};

}  // namespace masing::slab
