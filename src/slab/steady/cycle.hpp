#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>

#include "slab/steady/period_map.hpp"

namespace masing::slab {

/// Returns the phase in [0, 2π) by which the fundamental component of x lags behind that of F.
/// `of_force` and `of_x` are the Fourier coefficients (1/τ) ∫ f(t) exp(-2πi t/τ) dt for f = F and f
/// = x. `largest_force` is the largest |F|. Returns NaN if |of_force| is at most a thousandth of
/// `largest_force`, so that F has hardly any fundamental component. Local.
double phase_lag(std::complex<double> of_force, std::complex<double> of_x, double largest_force);

/// A limit cycle: a periodic motion of the mass on the slab.
struct Cycle {
  /// The extreme of x at which the cycle begins.
  Extreme extreme;
  /// The number of periods of the force that the cycle takes.
  int multiple = 1;
  /// The least x on the cycle.
  double least_x = 0.0;
  /// The greatest x on the cycle.
  double most_x = 0.0;
  /// The restoring force k0 x + S at the greatest x.
  double most_restoring = 0.0;
  /// The restoring force k0 x + S at the least x.
  double least_restoring = 0.0;
  /// ∫ S dx over the cycle, the energy that the slab dissipates.
  double loss = 0.0;
  /// The displacement of the mass over one cycle. It can differ from 0 only if k0 = 0 and all
  /// elements yield, on every cycle or because x drifts; then the mean of x is arbitrary.
  double drift = 0.0;
  /// phase_lag() of x behind F.
  double phase = 0.0;
  /// The fraction of ∫k that belongs to elements that do not yield on the cycle; 0 if the
  /// mean of x is arbitrary.
  double frozen = 0.0;
  /// The error with which the cycle closes: the larger of the error of x, relative to the range of
  /// x, and ω times the error of the period.
  double residual = 0.0;
  /// The Floquet multipliers; the one of larger modulus first.
  std::array<std::complex<double>, 2> multipliers{};
};

/// Returns the cycle that takes `multiple` periods of the force and begins near the extreme `start`
/// of x. The cycle is computed by the shooting method: Newton's method finds a fixed point of the
/// map from an extreme of x to the extreme `multiple` periods later. `start` includes the turning
/// points that the slab remembers at this extreme. They determine the elongations of the elements
/// that do not yield on the cycle. Throws UserError if no cycle is found. Local.
Cycle find_cycle(const PeriodMap& map, const Extreme& start, int multiple);

/// The result of run_until_periodic(): the state that a motion has reached after a transient, and
/// how nearly periodic the motion then is.
struct PeriodicState {
  /// The state at the beginning of a period of the force.
  PeriodEnd state;
  /// The number of periods of the force, 1 to 4, after which the motion repeats itself.
  int multiple = 1;
  /// The change of x and y over these periods, relative to the size of the motion.
  double change = 0.0;
  std::int64_t periods = 0;  ///< the number of periods that were computed
};

/// Advances a motion by one period of the force after another until it is periodic, and returns the
/// state. The motion counts as periodic if x and y change over one, two, three or four periods by
/// less than `tolerance`, relative to the size of the motion. If k0 = 0, x may drift by a constant
/// amount. The motion begins at x0, y0, u0. If it does not become periodic, the function returns
/// after `most_periods` periods. It returns earlier if the change has ceased to decrease, because
/// hardly any element yields; then the returned state is extrapolated to the fixed point of the map
/// over one period. Local.
PeriodicState run_until_periodic(const PeriodMap& map, double tolerance = 1e-6,
                                 std::int64_t most_periods = 3000);

}  // namespace masing::slab
