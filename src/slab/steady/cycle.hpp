#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "slab/steady/period_map.hpp"

namespace masing::slab {

/// The motion at one time of a cycle. The points of a cycle come in pairs. The integral of a
/// function over the cycle is computed as the sum over all points of T `weight` times its value,
/// where T is the length of the cycle. The two points of a pair are the ends of a time step
/// (trapezoidal rule) or its two Gauss points.
struct CyclePoint {
  double t = 0.0;
  double x = 0.0;
  double force = 0.0;      ///< F
  double restoring = 0.0;  ///< the restoring force f
  double weight = 0.0;
};

/// Numbers of a cycle of length T over which x moves by D. They are those of z(t) = x(t) - D t/T,
/// which is periodic. Therefore they do not depend on the time at which the cycle begins.
struct CycleNumbers {
  /// (max z - min z)/2.
  double amplitude = 0.0;
  /// Half the difference of the restoring forces f at both extremes of z.
  double restoring_amplitude = 0.0;
  /// D times the mean of f over time; ∮ f dz is the work ∫ f dx less this number.
  double work_of_drift = 0.0;
  /// The phase in [0, 2π) by which the fundamental component of z lags behind that of F, or NaN if
  /// the latter is at most a thousandth of the largest |F|.
  double phase = 0.0;
};

/// Returns the numbers of the cycle with these points, at least four. The cycle takes the time
/// `whole`, which is T and a multiple of the period of F, `period`. `drift` is D. Near each extreme
/// of z, z and f are interpolated by parabolas. Local.
CycleNumbers numbers_of(std::vector<CyclePoint> points, double period, double whole, double drift);

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
  /// ∫ S dx over the cycle, the energy that the slab dissipates.
  double loss = 0.0;
  /// The displacement of the mass over one cycle. It can differ from 0 only if k0 = 0 and all
  /// elements yield, on every cycle or because x drifts; then the mean of x is arbitrary.
  double drift = 0.0;
  /// The numbers of x less its drift; a drift of at most 1e-9 of the range of x counts as 0.
  CycleNumbers numbers;
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
